spark_wall(t) AS make_timestamp(epoch_us(t));
spark_instant(t) AS make_timestamptz(epoch_us(t));
spark_seconds(t) AS (epoch_us(t) - (epoch_us(t) % 1000000 + 1000000) % 1000000) // 1000000;
spark_decimal_seconds(t) AS CAST(CAST(epoch_us(t) AS DECIMAL(38,6)) * CAST('0.000001' AS DECIMAL(6,6)) AS DECIMAL(38,6));
spark_double_text(x) AS CASE
  WHEN abs(x) >= 0.001 AND abs(x) < 10000000 THEN CAST(x AS VARCHAR) ELSE adf_double_text(x) END;
spark_float_of(x) AS CASE
  WHEN abs(x) > 3.4028235677973366e38 AND isfinite(x) THEN CAST(CASE WHEN x > 0 THEN 'inf' ELSE '-inf' END AS FLOAT)
  ELSE CAST(x AS FLOAT) END;
spark_trim(s) AS trim(s, E' \t\n\r\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f');
spark_{try}whole(s) AS CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(s, '[+-]?[0-9]+') THEN s
  WHEN regexp_full_match(spark_trim(s), '[+-]?[0-9]+') THEN spark_trim(s)
  ELSE {bad}'a whole number'{.} END;
spark_{try}number(s) AS CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(s, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?') THEN s
  WHEN regexp_full_match(spark_trim(s), '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?') THEN spark_trim(s)
  ELSE {bad}'a number'{.} END;
spark_{try}float(s) AS CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(s, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?') THEN s
  WHEN regexp_full_match(spark_trim(s), '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?') THEN rtrim(spark_trim(s), 'dDfF')
  WHEN regexp_full_match(spark_trim(s), '(?i)nan|[+-]?inf(inity)?') THEN ltrim(spark_trim(s), '+')
  ELSE {bad}'a number'{.} END;
spark_{try}boolean(s) AS CASE
  WHEN lower(spark_trim(s)) IN ('t', 'true', 'y', 'yes', '1') THEN true
  WHEN lower(spark_trim(s)) IN ('f', 'false', 'n', 'no', '0') THEN false
  WHEN s IS NULL THEN NULL
  ELSE CAST({bad}'true or false'{.} AS BOOLEAN) END;
spark_{try}date(s) AS {TRY}CAST(CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(s, '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}') THEN s
  WHEN regexp_full_match(spark_trim(s), '(?s)[+]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}([ T].*)?')
    THEN ltrim(regexp_extract(spark_trim(s), '^[+]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}', 0), '+')
  WHEN regexp_full_match(spark_trim(s), '[+]?[0-9]{4,6}-[0-9]{1,2}') THEN ltrim(spark_trim(s), '+') || '-01'
  WHEN regexp_full_match(spark_trim(s), '[+]?[0-9]{4,6}') THEN ltrim(spark_trim(s), '+') || '-01-01'
  ELSE {bad}'a date'{.} END AS DATE);
spark_time_shape() AS '[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}[ T]([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9](\.[0-9]*)?)?';
spark_zone_shape() AS ' ?(Z|UTC|GMT|[+-][0-9]{1,2}(:?[0-9]{2})?|[A-Za-z]+/[A-Za-z_/]+)';
spark_{try}timestamp(s) AS {TRY}CAST(CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(spark_trim(s), spark_time_shape() || '(' || spark_zone_shape() || ')?')
    THEN regexp_replace(regexp_replace(spark_trim(s), 'GMT$', 'UTC'), '([+-])([0-9])(:[0-9]+)?$', '\10\2\3')
  WHEN regexp_full_match(spark_trim(s), '[0-9]{4,6}(-[0-9]{1,2}(-[0-9]{1,2})?)?[ T]?')
    THEN rtrim(spark_trim(s), 'T') || CASE length(regexp_replace(s, '[^-]', '', 'g')) WHEN 0 THEN '-01-01' WHEN 1 THEN '-01' ELSE '' END
  ELSE {bad}'a timestamp'{.} END AS TIMESTAMP WITH TIME ZONE);
spark_{try}timestamp_ntz(s) AS {TRY}CAST(CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(spark_trim(s), spark_time_shape() || '(' || spark_zone_shape() || ')?')
    THEN regexp_extract(spark_trim(s), '^' || spark_time_shape(), 0)
  WHEN regexp_full_match(spark_trim(s), '[0-9]{4,6}(-[0-9]{1,2}(-[0-9]{1,2})?)?[ T]?')
    THEN rtrim(spark_trim(s), 'T') || CASE length(regexp_replace(s, '[^-]', '', 'g')) WHEN 0 THEN '-01-01' WHEN 1 THEN '-01' ELSE '' END
  ELSE {bad}'a timestamp'{.} END AS TIMESTAMP);
spark_upper(s) AS upper(replace(s, 'ß', 'SS'));
spark_substring(s, f, n) AS CASE
  WHEN f IS NULL OR n IS NULL THEN NULL
  WHEN n <= 0 THEN left(s, 0)
  WHEN f > 0 THEN substring(s, f, n)
  WHEN f = 0 THEN substring(s, 1, n)
  WHEN length(s) + f >= 0 THEN substring(s, length(s) + f + 1, n)
  ELSE left(s, greatest(length(s) + CAST(f AS BIGINT) + n, 0)) END;
spark_split(s, re) AS CASE WHEN s = '' THEN [''] ELSE regexp_split_to_array(s, re) END;
spark_pad(padded, s, n, pad) AS CASE WHEN pad = '' THEN left(s, greatest(n, 0)) ELSE padded END;
spark_sha2(b, n) AS CASE WHEN n IN (0, 256) THEN sha256(b) WHEN n IN (224, 384, 512) THEN adf_sha2_bits(CAST(n AS BIGINT), b) END;
