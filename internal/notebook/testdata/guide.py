# Auto Loader with Schema Inference
df_inferred = (spark.readStream
  .format("cloudFiles")
  .option("cloudFiles.format", "json")
  .option("cloudFiles.schemaLocation", "abfss://checkpoints@myadls.dfs.core.windows.net/iot_schema")
  .option("cloudFiles.inferColumnTypes", "true") # Informs Auto Loader to infer types beyond STRING for JSON/CSV
  .load("abfss://raw@myadls.dfs.core.windows.net/iot-telemetry/"))

# Ingesting with addNewColumns and Delta schema merging
(spark.readStream
  .format("cloudFiles")
  .option("cloudFiles.format", "json")
  .option("cloudFiles.schemaLocation", "abfss://checkpoints@myadls/schema_sales")
  .option("cloudFiles.schemaEvolutionMode", "addNewColumns")
  .load("abfss://raw@myadls/sales_json/")
  .writeStream
  .format("delta")
  .option("checkpointLocation", "abfss://checkpoints@myadls/cp_sales")
  .option("mergeSchema", "true") # Required for target Delta table to accept evolved columns
  .toTable("bronze.sales.raw_transactions"))

# Applying Schema Hints for precise datatype enforcement
df_hints = (spark.readStream
  .format("cloudFiles")
  .option("cloudFiles.format", "csv")
  .option("cloudFiles.schemaLocation", "abfss://checkpoints@myadls/csv_schema")
  .option("header", "true")
  .option("cloudFiles.inferColumnTypes", "true")
  .option("cloudFiles.schemaHints", """
    transaction_id BIGINT,
    amount DECIMAL(10, 2),
    transaction_timestamp TIMESTAMP,
    is_fraudulent BOOLEAN
  """)
  .load("abfss://raw@myadls/finance_csv/"))
