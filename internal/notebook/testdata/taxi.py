# Databricks notebook source
from pyspark.sql import functions as F
import dlt

checkpoint = "/mnt/checkpoints/trips"
raw_path = f"{checkpoint}/../raw"

# COMMAND ----------

df = (spark.readStream.format("cloudFiles")
      .option("cloudFiles.format", "parquet")
      .option("cloudFiles.schemaLocation", f"{checkpoint}/schema")
      .option("cloudFiles.schemaEvolutionMode", "addNewColumns")
      .option("cloudFiles.inferColumnTypes", "true")
      .load(raw_path)
      .withColumn("_ingested_at", F.current_timestamp())
      .withColumn("_source_file", F.col("_metadata.file_path")))

# COMMAND ----------

df.writeStream.option("checkpointLocation", checkpoint).trigger(once=True).toTable("trips_bronze")

# COMMAND ----------

# MAGIC %sql
# MAGIC CREATE OR REFRESH STREAMING TABLE zones
# MAGIC AS SELECT *, _metadata.file_path AS f FROM STREAM read_files(
# MAGIC   '/Volumes/raw/zones', format => 'csv', header => true,
# MAGIC   `schemaHints` => 'id INT')

# COMMAND ----------

@dlt.table(name="trips_silver")
@dlt.expect("nothing_rescued", "_rescued_data IS NULL")
def trips_silver():
    df = dlt.read_stream("trips_bronze")
    return df
