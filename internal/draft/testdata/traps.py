import os
root = os.environ["LANDING"]

# The right prefix, and options that Landfall refuses or does not need.
a = (spark.readStream.format("cloudFiles")
     .option("cloudFiles.format", "csv")
     .option("cloudFiles.pathGlobFilter", "*.csv")
     .option("cloudFiles.useNotifications", "true")
     .option("cloudFiles.schemaLocation", "/cp/a")
     .option("cloudFiles.schemaEvolutionMode", "rescue")
     .option("multiLine", True)
     .option("delimiter", ";").option("sep", "|")
     .option("headr", "true")
     .load(f"{root}/orders/*.csv"))

a.select("id").writeStream.option("checkpointLocation", "/cp/a").partitionBy("dt").trigger(processingTime="5 minutes").toTable("main.bronze.orders")

# An option of text for Parquet, a schema of code, a place that another stream has.
(spark.readStream.format("cloudFiles")
   .option("cloudFiles.format", "parquet")
   .option("header", "true")
   .option("cloudFiles.inferColumnTypes", "true")
   .option("cloudFiles.schemaLocation", "/cp/a")
   .schema(orders_schema)
   .load("dbfs:/raw/orders")
   .writeStream.option("mergeSchema", "false").trigger(once=True).start("/lake/orders"))

(spark.readStream.format("cloudFiles").schema("id INT, `a b` DATE")
   .option("cloudFiles.format", "json").option("cloudFiles.maxFilesPerTrigger", n)
   .load("landing/x").writeStream.toTable("x"))
