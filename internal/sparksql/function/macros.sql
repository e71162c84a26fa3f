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
spark_{try}timestamp(s) AS CASE
  WHEN regexp_full_match(s, '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[ T](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?Z?') THEN spark_instant({TRY}CAST(s AS TIMESTAMP))
  ELSE {TRY}CAST(CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(ltrim(spark_trim(s), '+'), spark_time_shape() || '(' || spark_zone_shape() || ')?')
    THEN regexp_replace(regexp_replace(ltrim(spark_trim(s), '+'), 'GMT$', 'UTC'), '([+-])([0-9])(:[0-9]+)?$', '\10\2\3')
  WHEN regexp_full_match(ltrim(spark_trim(s), '+'), '[0-9]{4,6}(-[0-9]{1,2}(-[0-9]{1,2})?)?')
    THEN ltrim(spark_trim(s), '+') || CASE length(regexp_replace(s, '[^-]', '', 'g')) WHEN 0 THEN '-01-01' WHEN 1 THEN '-01' ELSE '' END
  WHEN regexp_full_match(spark_trim(s), '[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}[ T]([01]?[0-9]|2[0-3])') THEN spark_trim(s) || ':00'
  ELSE {bad}'a timestamp'{.} END AS TIMESTAMP WITH TIME ZONE) END;
spark_{try}timestamp_ntz(s) AS CASE
  WHEN regexp_full_match(s, '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[ T](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?') THEN {TRY}CAST(s AS TIMESTAMP)
  ELSE {TRY}CAST(CASE
  WHEN s IS NULL THEN NULL
  WHEN regexp_full_match(ltrim(spark_trim(s), '+'), spark_time_shape() || '(' || spark_zone_shape() || ')?')
    THEN regexp_extract(ltrim(spark_trim(s), '+'), '^' || spark_time_shape(), 0)
  WHEN regexp_full_match(ltrim(spark_trim(s), '+'), '[0-9]{4,6}(-[0-9]{1,2}(-[0-9]{1,2})?)?')
    THEN ltrim(spark_trim(s), '+') || CASE length(regexp_replace(s, '[^-]', '', 'g')) WHEN 0 THEN '-01-01' WHEN 1 THEN '-01' ELSE '' END
  WHEN regexp_full_match(spark_trim(s), '[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}[ T]([01]?[0-9]|2[0-3])') THEN spark_trim(s) || ':00'
  ELSE {bad}'a timestamp'{.} END AS TIMESTAMP) END;
spark_upper(s) AS upper(replace(s, 'ß', 'SS'));
spark_substring(s, f, n) AS CASE
  WHEN f IS NULL OR n IS NULL THEN NULL
  WHEN n <= 0 THEN left(s, 0)
  WHEN f > 0 THEN substring(s, f, n)
  WHEN f = 0 THEN substring(s, 1, n)
  WHEN length(s) + f >= 0 THEN substring(s, length(s) + f + 1, n)
  ELSE left(s, greatest(length(s) + CAST(f AS BIGINT) + n, 0)) END;
spark_count(n) AS CASE WHEN n > 0 THEN CAST(n AS BIGINT) WHEN n IS NOT NULL THEN CAST(0 AS BIGINT) END;
spark_pad(padded, s, n, pad) AS CASE WHEN pad = '' THEN left(s, spark_count(n)) ELSE padded END;
spark_sha2(b, n) AS CASE WHEN n IN (0, 256) THEN sha256(b) WHEN n IN (224, 384, 512) THEN adf_sha2_bits(CAST(n AS BIGINT), b) END;
spark_strip(stripped, s, chars) AS CASE WHEN chars = '' THEN s ELSE stripped END;
spark_glued(a, d) AS CASE
  WHEN a IS NULL OR d IS NULL THEN NULL
  WHEN len(a) = 0 THEN ''
  ELSE substring(array_to_string(list_transform(a, lambda _e: d || _e), ''), length(d) + 1) END;
spark_join(a, d) AS spark_glued(list_filter(a, lambda _e: _e IS NOT NULL), d);
spark_substring_index(s, d, n) AS CASE
  WHEN n IS NULL OR d IS NULL THEN NULL
  WHEN n = 0 OR d = '' THEN left(s, 0)
  WHEN n > 0 THEN spark_glued(string_split(s, d)[:n], d)
  ELSE spark_glued(string_split(s, d)[greatest(len(string_split(s, d)) + n + 1, 1):], d) END;
spark_fraction_text(x) AS regexp_replace(CAST(x AS VARCHAR), '^(-?)\.', '\10.');
spark_digits64(s) AS regexp_replace(s, '[^A-Za-z0-9+/]', '', 'g');
spark_unbase64(s) AS from_base64(spark_digits64(s) || repeat('=', (4 - length(spark_digits64(s)) % 4) % 4));
spark_offset(z) AS CASE WHEN regexp_full_match(z, '[+-][0-9]{1,2}(:[0-9]{2})?') THEN
  (CASE WHEN z[1] = '-' THEN -1 ELSE 1 END) * (CAST(regexp_extract(z, '[0-9]+', 0) AS BIGINT) * 60 + CAST(coalesce(nullif(regexp_extract(z, ':([0-9]+)', 1), ''), '0') AS BIGINT)) END;
spark_from_utc(t, z) AS CASE WHEN t IS NULL THEN NULL WHEN spark_offset(z) IS NOT NULL THEN t + to_minutes(spark_offset(z)) ELSE spark_instant(timezone(z, t)) END;
spark_to_utc(t, z) AS CASE WHEN t IS NULL THEN NULL WHEN spark_offset(z) IS NOT NULL THEN t - to_minutes(spark_offset(z)) ELSE timezone(z, spark_wall(t)) END;
spark_floor_div(a, b) AS (a - (a % b + b) % b) // b;
spark_shift_right(x, n) AS CAST(spark_floor_div(CAST(x AS HUGEINT), CAST(1 AS HUGEINT) << n) AS BIGINT);
spark_wrap32(x) AS CAST(((x + 2147483648) % 4294967296 + 4294967296) % 4294967296 - 2147483648 AS INTEGER);
spark_overlay(s, w, p, n) AS spark_substring(s, 1, p - 1) || w || spark_substring(s, p + CASE WHEN n < 0 THEN length(w) ELSE n END, 2147483647);
spark_locate(f, s, p) AS CAST(CASE
  WHEN p IS NULL THEN 0
  WHEN f IS NULL OR s IS NULL THEN NULL
  WHEN p < 1 THEN 0
  WHEN instr(substring(s, p), f) = 0 THEN 0
  ELSE instr(substring(s, p), f) + p - 1 END AS INTEGER);
spark_unhex(s) AS CASE
  WHEN regexp_full_match(s, '([0-9a-fA-F]{2})*') THEN from_hex(s)
  WHEN regexp_full_match(s, '[0-9a-fA-F]([0-9a-fA-F]{2})*') THEN from_hex('0' || s) END;
spark_split(s, re, n) AS CAST(CAST(spark_split_text(s, re, n) AS JSON) AS VARCHAR[]);
spark_must_unhex(s) AS CASE WHEN spark_unhex(s) IS NULL AND s IS NOT NULL THEN CAST(error('CONVERSION_INVALID_INPUT: found ' || s || ', want hexadecimal digits') AS BLOB) ELSE spark_unhex(s) END;
spark_str_to_map(s, p, q) AS map_from_entries(list_transform(spark_split(s, p, CAST(-1 AS BIGINT)), lambda _e: {'k': spark_split(_e, q, CAST(2 AS BIGINT))[1], 'v': spark_split(_e, q, CAST(2 AS BIGINT))[2]}));
spark_power(a, b) AS CASE WHEN a < 0 AND isfinite(a) AND isfinite(b) AND b <> trunc(b) THEN CAST('NaN' AS DOUBLE) ELSE power(a, b) END;
spark_bigint(x) AS CASE
  WHEN isnan(x) THEN CAST(0 AS BIGINT)
  WHEN x >= 9223372036854775807 THEN 9223372036854775807
  WHEN x <= -9223372036854775808 THEN -9223372036854775808
  ELSE CAST(x AS BIGINT) END;
spark_wrap(x) AS CAST(((x + 9223372036854775808) % 18446744073709551616 + 18446744073709551616) % 18446744073709551616 - 9223372036854775808 AS BIGINT);
spark_shift_left(x, n) AS spark_wrap(CAST(x AS HUGEINT) * (CAST(1 AS HUGEINT) << (n & 63)));
spark_shift_left32(x, n) AS spark_wrap32(CAST(x AS HUGEINT) * (CAST(1 AS HUGEINT) << (n & 31)));
spark_bucket(x, low, high, n) AS CASE
  WHEN n <= 0 OR low = high OR NOT isfinite(low) OR NOT isfinite(high) OR isnan(x) THEN NULL
  WHEN low < high AND x < low OR low > high AND x > low THEN 0
  WHEN low < high AND x >= high OR low > high AND x <= high THEN n + 1
  ELSE CAST(floor(n * (x - low) / (high - low)) AS BIGINT) + 1 END;
spark_month_count(a, b) AS (year(a) - year(b)) * 12 + month(a) - month(b);
spark_day_seconds(t) AS day(t) * 86400 + hour(t) * 3600 + minute(t) * 60 + CAST(floor(second(t)) AS BIGINT);
spark_months(a, b, rounded) AS CAST(CASE
  WHEN rounded IS NULL THEN NULL
  WHEN day(a) = day(b) OR CAST(a AS DATE) = last_day(a) AND CAST(b AS DATE) = last_day(b) THEN spark_month_count(a, b)
  WHEN rounded THEN round(spark_month_count(a, b) + (spark_day_seconds(a) - spark_day_seconds(b)) / 2678400, 8)
  ELSE spark_month_count(a, b) + (spark_day_seconds(a) - spark_day_seconds(b)) / 2678400 END AS DOUBLE);
spark_weekday(s) AS list_position(['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun',
  'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'], lower(spark_trim(s)));
spark_next_day(d, s) AS CASE
  WHEN d IS NULL OR s IS NULL THEN NULL
  WHEN coalesce(spark_weekday(s), 0) = 0 THEN error('ILLEGAL_DAY_OF_WEEK: found ' || s || ', want a day of the week')
  ELSE d + CAST((((spark_weekday(s) - 1) % 7 + 1 - isodow(d)) + 6) % 7 + 1 AS INTEGER) END;
spark_insert(a, p, e) AS CASE
  WHEN a IS NULL OR p IS NULL THEN NULL
  WHEN p = 0 THEN error('INVALID_INDEX_OF_ZERO: found place 0, want one from 1 on')
  WHEN p > 0 AND p - 1 <= len(a) THEN list_concat(list_append(a[:p - 1], e), a[p:])
  WHEN p > 0 THEN list_append(list_concat(a, list_transform(range(p - 1 - len(a)), lambda _x: NULL)), e)
  WHEN -p <= len(a) + 1 THEN list_concat(list_append(a[:len(a) + p + 1], e), a[len(a) + p + 2:])
  ELSE list_concat(list_concat([e], list_transform(range(-p - 1 - len(a)), lambda _x: NULL)), a) END;
spark_distinct(a) AS list_filter(a, lambda _e, _i: list_position(a, _e) = _i);
spark_has_null(a) AS len(list_filter(a, lambda _e: _e IS NULL)) > 0;
spark_overlap(a, b) AS CASE
  WHEN a IS NULL OR b IS NULL THEN NULL
  WHEN list_has_any(a, b) THEN true
  WHEN len(a) > 0 AND len(b) > 0 AND (spark_has_null(a) OR spark_has_null(b)) THEN NULL
  ELSE false END;
spark_slice(a, f, n) AS CASE
  WHEN a IS NULL OR f IS NULL OR n IS NULL THEN NULL
  WHEN f = 0 THEN error('INVALID_PARAMETER_VALUE.START: found place 0, want one from 1 on')
  WHEN n < 0 THEN error('INVALID_PARAMETER_VALUE.LENGTH: found a length below 0, want one from 0 on')
  WHEN f > 0 AND n > 0 THEN a[f : CAST(f AS BIGINT) + n - 1]
  WHEN n > 0 AND len(a) + f >= 0 THEN a[len(a) + f + 1 : len(a) + f + n]
  ELSE a[1:0] END;
spark_skewness(g, n, v) AS CASE WHEN v > 0 AND n = 2 THEN CAST(0 AS DOUBLE) WHEN v > 0 THEN g * (n - 2) / sqrt(CAST(n AS DOUBLE) * (n - 1)) END;
spark_round(x, d) AS CASE
  WHEN abs(x * 10.0::DOUBLE ** d) < 1e11 AND abs(abs(x * 10.0::DOUBLE ** d) % 1 - 0.5) > 0.001 THEN round(x, d)
  ELSE CAST(adf_rounded(CAST(x AS VARCHAR), d, 5) AS DOUBLE) END;
spark_whole_months(a, b) AS CAST(spark_month_count(b, a) + CASE
  WHEN b >= a AND (day(b), epoch_us(b) - epoch_us(date_trunc('day', b))) < (day(a), epoch_us(a) - epoch_us(date_trunc('day', a))) THEN -1
  WHEN b < a AND (day(b), epoch_us(b) - epoch_us(date_trunc('day', b))) > (day(a), epoch_us(a) - epoch_us(date_trunc('day', a))) THEN 1
  ELSE 0 END AS BIGINT);
spark_make_time(y, m, d, h, mi, s) AS CASE
  WHEN y IS NULL OR m IS NULL OR d IS NULL OR h IS NULL OR mi IS NULL OR s IS NULL OR NOT isfinite(s) THEN NULL
  WHEN h NOT BETWEEN 0 AND 23 OR mi NOT BETWEEN 0 AND 59 OR s < 0 OR s > 60 THEN error('DATETIME_FIELD_OUT_OF_BOUNDS: found a time that there is not, want hours to 23, minutes to 59 and seconds to 60')
  ELSE CAST(make_date(y, m, d) AS TIMESTAMP) + to_hours(h) + to_minutes(mi) + to_microseconds(CAST(round(s * 1000000) AS BIGINT)) END;
spark_months_of(i) AS date_part('year', i) * 12 + date_part('month', i);
spark_month_steps(a, b, i) AS CASE WHEN (spark_months_of(i) > 0) <> (a <= b) AND a <> b THEN error('ILLEGAL_SEQUENCE: found a step that leads away, want one from the first date to the last') ELSE list_filter(list_transform(range(abs(spark_month_count(b, a)) // abs(spark_months_of(i)) + 1), lambda _n: a + to_months(CAST(_n * spark_months_of(i) AS INTEGER))),
  lambda _t: CASE WHEN spark_months_of(i) > 0 THEN _t <= b ELSE _t >= b END) END;
spark_rounded_div(a, b) AS sign(a) * sign(b) * ((abs(a) * 2 + abs(b)) // (abs(b) * 2));
