"""Spark with Delta as a peer: one session, kept for the whole suite.

usage: spark.py JARS FOLDER   (the folder of the Delta jars, a folder to work in)
"""

import glob
import sys

import canon
import pyarrow as pa
import wire
from pyspark.sql import SparkSession

jars, folder = sys.argv[1:]

SETTINGS = {
    "spark.jars": ",".join(sorted(glob.glob(jars + "/*.jar"))),
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-Djava.io.tmpdir=" + folder,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.local.dir": folder,
    "spark.sql.warehouse.dir": folder + "/warehouse",
    "spark.sql.session.timeZone": "UTC",
    # Tables here are tiny: one task, or scheduling takes all the time.
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
    # VACUUM RETAIN 0 HOURS is what the tests are about.
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
}


def start():
    builder = SparkSession.builder.master("local[2]").appName("landfall")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def rows(frame):
        # toArrow casts to a schema in which some fields are not nullable, and
        # refuses nulls that Spark itself has put there; the batches are right.
        batches = frame._collect_as_arrow(empty_list_if_zero_records=False)
        return canon.rows(pa.Table.from_batches(batches))

    def sql(text):
        """Runs one statement and returns its rows."""
        return rows(spark.sql(text))

    def read(path, version=None):
        """Reads a Delta table."""
        reader = spark.read.format("delta")
        if version is not None:
            reader = reader.option("versionAsOf", version)
        frame = reader.load(path)
        result = rows(frame)
        result["types"] = [f.dataType.simpleString() for f in frame.schema]
        return result

    return {"sql": sql, "read": read}


wire.serve(start)
