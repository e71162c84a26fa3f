"""Spark with Hive's catalog, which remembers where each partition is.

usage: catalog.py FOLDER [JARS]   (a folder to work in; one of jars for Delta)
"""

import glob
import sys

import wire
from pyspark.sql import SparkSession

folder = sys.argv[1]
jars = sorted(glob.glob(sys.argv[2] + "/*.jar")) if len(sys.argv) > 2 else []

SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder} -Dderby.system.home={folder}",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.local.dir": folder,
    "spark.sql.warehouse.dir": folder + "/warehouse",
    "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/catalog;create=true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
}
if jars:
    SETTINGS["spark.jars"] = ",".join(jars)
    SETTINGS["spark.sql.extensions"] = "io.delta.sql.DeltaSparkSessionExtension"
    SETTINGS["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def start():
    builder = SparkSession.builder.master("local[2]").appName("landfall").enableHiveSupport()
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def run(text):
        """Runs one statement and returns its rows as text, nulls as null."""
        return [[None if c is None else str(c) for c in row] for row in spark.sql(text).collect()]

    return {"run": run}


wire.serve(start)
