WITH "RawOrders" AS (
  SELECT
    CAST("order_id" AS INTEGER) AS "order_id",
    CAST(CAST("order_total" AS INTEGER) AS DECIMAL(18,2)) AS "order_total",
    CAST("currency" AS VARCHAR) AS "currency",
    CAST(NULL AS VARCHAR) AS "discount_code",
    CAST(NULL AS VARCHAR) AS "ship region",
    CAST(NULL AS TIMESTAMP) AS "at",
    '/orders/day1.parquet' AS "source_file"
  FROM read_parquet('orders/day1.parquet', union_by_name = false, hive_partitioning = false)
  UNION ALL
  SELECT
    CAST("order_id" AS INTEGER) AS "order_id",
    CAST("order_total" AS DECIMAL(18,2)) AS "order_total",
    CAST("currency" AS VARCHAR) AS "currency",
    CAST("discount_code" AS VARCHAR) AS "discount_code",
    CAST("ship region" AS VARCHAR) AS "ship region",
    landfall_wall("at") AS "at",
    map(['orders/day2.parquet', 'orders/day3.parquet'], ['/orders/day2.parquet', '/orders/day3.parquet'])[_landfall_path] AS "source_file"
  FROM read_parquet(['orders/day2.parquet', 'orders/day3.parquet'], union_by_name = false, hive_partitioning = false, filename = '_landfall_path')
),
"TypedOrders" AS (
  SELECT
    * REPLACE (TRY_CAST("order_total" AS DECIMAL(18,2)) AS "order_total", CAST("discount_code" AS VARCHAR) AS "discount_code")
  FROM "RawOrders"
),
"CleanNames" AS (
  SELECT
    "order_id",
    "order_total",
    "currency",
    "discount_code",
    "ship region" AS "ship_region",
    "at",
    "source_file"
  FROM "TypedOrders"
),
"CuratedOrders" AS (
  SELECT *
  FROM "CleanNames"
)
SELECT
  "order_id",
  "order_total",
  "currency",
  "discount_code",
  "ship_region",
  landfall_instant("at") AS "at",
  "source_file"
FROM "CuratedOrders"
