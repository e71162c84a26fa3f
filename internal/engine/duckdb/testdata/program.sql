WITH "in" AS (
  SELECT
    TRY_CAST(adf_whole(c1) AS INTEGER) AS "id",
    TRY_CAST(landfall_number(c2) AS DECIMAL(10,2)) AS "total",
    CAST(NULL AS VARCHAR) AS "note"
  FROM read_csv('a.csv', auto_detect = false, columns = {'c1': 'VARCHAR', 'c2': 'VARCHAR'}, header = true, delim = ',', quote = '', escape = '', nullstr = '', null_padding = true, allow_quoted_nulls = false, hive_partitioning = false)
),
"large" AS (
  SELECT *
  FROM "in"
  WHERE CAST("total" AS DECIMAL(12,2)) > CAST('5' AS DECIMAL(12,2))
),
"out" AS (
  SELECT *
  FROM "large"
)
SELECT *
FROM "out"
