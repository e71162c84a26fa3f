CREATE MACRO adf_compare(a, b) AS CASE WHEN a < b THEN -1 WHEN a > b THEN 1 WHEN a = b THEN 0 END;
CREATE MACRO adf_pmod(a, b) AS CASE
  WHEN a % nullif(b, 0) < 0 THEN ((a % nullif(b, 0)) + b) % nullif(b, 0) ELSE a % nullif(b, 0) END;
CREATE MACRO adf_count(n) AS CASE WHEN n > 0 THEN CAST(n AS BIGINT) WHEN n IS NOT NULL THEN CAST(0 AS BIGINT) END;
CREATE MACRO adf_append(a, b) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN list_concat(a, b) END;
CREATE MACRO adf_initcap(s) AS array_to_string(list_transform(string_split(s, ' '), lambda w: upper(w[1]) || lower(w[2:])), ' ');
CREATE MACRO adf_pad(padded, s, n, pad) AS CASE WHEN pad = '' THEN left(s, adf_count(n)) ELSE padded END;
CREATE MACRO adf_substring(s, f, n) AS CASE
  WHEN f IS NULL OR n IS NULL THEN NULL
  WHEN n <= 0 THEN left(s, 0)
  WHEN f > 0 THEN substring(s, least(f, 2147483647), n)
  WHEN f = 0 THEN substring(s, 1, n)
  WHEN length(s) + f >= 0 THEN substring(s, length(s) + f + 1, n)
  ELSE left(s, greatest(length(s) + f + n, 0)) END;
CREATE MACRO adf_substring_index(s, d, n) AS CASE
  WHEN n IS NULL OR d IS NULL THEN NULL
  WHEN n = 0 OR d = '' THEN left(s, 0)
  WHEN n > 0 THEN array_to_string(string_split(s, d)[:n], d)
  ELSE array_to_string(string_split(s, d)[greatest(len(string_split(s, d)) + n + 1, 1):], d) END;
CREATE MACRO adf_replace(s, f, w) AS CASE WHEN f = '' THEN s ELSE replace(s, f, w) END;
CREATE MACRO adf_locate(f, s, p) AS CAST(CASE
  WHEN p IS NULL THEN 0
  WHEN f IS NULL OR s IS NULL THEN NULL
  WHEN p < 1 THEN 0
  WHEN instr(substring(s, p), f) = 0 THEN 0
  ELSE instr(substring(s, p), f) + p - 1 END AS INTEGER);
CREATE MACRO adf_long(x) AS CASE
  WHEN isnan(CAST(x AS DOUBLE)) THEN CAST(0 AS BIGINT)
  WHEN CAST(x AS DOUBLE) >= 9223372036854775807 THEN 9223372036854775807
  WHEN CAST(x AS DOUBLE) <= -9223372036854775808 THEN -9223372036854775808
  ELSE TRY_CAST(x AS BIGINT) END;
CREATE MACRO adf_char(n) AS CASE WHEN n < 0 THEN '' ELSE chr(CAST(n % 256 AS INTEGER)) END;
CREATE MACRO adf_levenshtein(a, b) AS CAST(adf_distance(a, b) AS INTEGER);
CREATE MACRO adf_angle(x) AS CASE WHEN isfinite(CAST(x AS DOUBLE)) THEN CAST(x AS DOUBLE) WHEN x IS NOT NULL THEN CAST('NaN' AS DOUBLE) END;
CREATE MACRO adf_round(x, scale, mode) AS adf_rounded(x, CAST(scale AS BIGINT), CAST(mode AS BIGINT));
CREATE MACRO adf_trim(s) AS trim(s, E' \t\n\r\x0b\x0c');
CREATE MACRO adf_whole(s) AS CASE
  WHEN regexp_full_match(s, '[+-]?[0-9]+') THEN s
  WHEN regexp_full_match(adf_trim(s), '[+-]?[0-9]+') THEN adf_trim(s) END;
CREATE MACRO adf_clear(x, scale) AS typeof(x) = 'DOUBLE' AND abs(x * 10.0::DOUBLE ** scale) < 1e11
  AND abs(abs(x * 10.0::DOUBLE ** scale) % 1 - 0.5) > 0.001;
CREATE MACRO adf_fraction(s) AS CASE
  WHEN regexp_full_match(s, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?') THEN s
  WHEN regexp_full_match(adf_trim(s), '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?') THEN adf_trim(s)
  WHEN regexp_full_match(adf_trim(s), '(?i)[+-]?(inf|infinity)|nan') THEN adf_trim(s) END;
CREATE MACRO adf_wrap(x, half) AS ((CAST(x AS HUGEINT) + half) % (2 * half::HUGEINT) + 2 * half::HUGEINT) % (2 * half::HUGEINT) - half;
CREATE MACRO adf_to_boolean(s) AS CASE
  WHEN lower(adf_trim(s)) IN ('t', 'true', 'y', 'yes', '1') THEN true
  WHEN lower(adf_trim(s)) IN ('f', 'false', 'n', 'no', '0') THEN false END;
CREATE MACRO adf_double_string(x) AS CASE
  WHEN abs(x) >= 0.001 AND abs(x) < 10000000 THEN CAST(x AS VARCHAR) ELSE adf_double_text(x) END;
CREATE MACRO adf_to_date(s) AS TRY_CAST(CASE
  WHEN regexp_full_match(adf_trim(s), '[0-9]{4}') THEN adf_trim(s) || '-01-01'
  WHEN regexp_full_match(adf_trim(s), '[0-9]{4}-[0-9]{1,2}') THEN adf_trim(s) || '-01'
  WHEN regexp_full_match(adf_trim(s), '(?s)[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T].*)?')
    THEN regexp_extract(adf_trim(s), '^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}', 0) END AS DATE);
CREATE MACRO adf_clock() AS '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T]([01]?[0-9]|2[0-3]):[0-9]{1,2}(:[0-9]{1,2}(\.[0-9]*)?)?)?';
CREATE MACRO adf_to_timestamp(s) AS date_trunc('milliseconds', CASE
  WHEN regexp_full_match(adf_trim(s), adf_clock()) THEN TRY_CAST(adf_trim(s) AS TIMESTAMP)
  WHEN regexp_full_match(adf_trim(s), adf_clock() || ' ?(Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)')
    THEN CAST(TRY_CAST(adf_trim(s) AS TIMESTAMPTZ) AS TIMESTAMP) END);
CREATE MACRO adf_read_time(s, p) AS make_timestamp(adf_parse_time(s, p));
CREATE MACRO adf_holds(s, v) AS CASE WHEN s IS NOT NULL THEN v IS NOT NULL END;
CREATE MACRO adf_base64_digits(s) AS CASE
  WHEN regexp_full_match(s, '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?') THEN rtrim(s, '=') END;
CREATE MACRO adf_padded_base64(s) AS s || repeat('=', (4 - length(s) % 4) % 4);
CREATE MACRO adf_from_base64(s) AS from_base64(adf_padded_base64(adf_base64_digits(regexp_replace(s, '\s', '', 'g'))));
CREATE MACRO adf_unhex(s) AS CASE 
  WHEN regexp_full_match(s, '([0-9a-fA-F]{2})*') THEN from_hex(s)
  WHEN regexp_full_match(s, '[0-9a-fA-F]([0-9a-fA-F]{2})*') THEN from_hex('0' || s) END;
CREATE MACRO adf_blob(a) AS from_hex(array_to_string(list_transform(a, lambda b: printf('%02x', CAST(b AS INTEGER) & 255)), ''));
CREATE MACRO adf_bit(n) AS CASE WHEN n = 63 THEN -9223372036854775808 ELSE CAST(1 AS BIGINT) << n END;
CREATE MACRO adf_word(p, w) AS list_reduce(
  list_transform(list_filter(p, lambda n: n // 64 = w), lambda n: CAST(adf_bit(n % 64) AS BIGINT)), lambda x, y: x | y, CAST(0 AS BIGINT));
CREATE MACRO adf_bits(b, p) AS list_transform(
  range(greatest(len(b), coalesce(list_max(p), -1) // 64 + 1)),
  lambda w: CAST(coalesce(CAST(b AS BIGINT[])[w + 1], 0) | adf_word(p, w) AS BIGINT));
CREATE MACRO adf_has_bit(b, n) AS (coalesce(b[n // 64 + 1], 0) & adf_bit(n % 64)) <> 0;
CREATE MACRO adf_last_after(d, n) AS last_day(CAST(date_trunc('month', d) + to_months(n) AS DATE));
CREATE MACRO adf_add_months(d, n) AS CASE WHEN d = last_day(d) THEN adf_last_after(d, n) ELSE CAST(d + to_months(n) AS DATE) END;
CREATE MACRO adf_add_months_time(t, n) AS CAST(adf_add_months(CAST(t AS DATE), n) AS TIMESTAMP) + (t - date_trunc('day', t));
CREATE MACRO adf_run() AS CAST(getvariable('adf_now') AS TIMESTAMP);
CREATE MACRO adf_from_utc(t, z) AS timezone(z, timezone('UTC', CAST(t AS TIMESTAMP)));
CREATE MACRO adf_to_utc(t, z) AS timezone('UTC', timezone(z, CAST(t AS TIMESTAMP)));
CREATE MACRO adf_seconds(t) AS day(t) * 86400 + epoch(CAST(t AS TIMESTAMP)) - epoch(date_trunc('day', CAST(t AS TIMESTAMP)));
CREATE MACRO adf_month_count(a, b) AS (year(a) - year(b)) * 12 + month(a) - month(b);
CREATE MACRO adf_months(a, b, rounded) AS CAST(CASE
  WHEN rounded IS NULL THEN NULL
  WHEN day(a) = day(b) OR CAST(a AS DATE) = last_day(a) AND CAST(b AS DATE) = last_day(b) THEN adf_month_count(a, b)
  WHEN rounded THEN round(adf_month_count(a, b) + (floor(adf_seconds(a)) - floor(adf_seconds(b))) / 2678400, 8)
  ELSE adf_month_count(a, b) + (floor(adf_seconds(a)) - floor(adf_seconds(b))) / 2678400 END AS DOUBLE);
CREATE MACRO adf_has(a, x) AS coalesce(list_position(a, x), 0) > 0;
CREATE MACRO adf_distinct(a) AS list_filter(a, lambda x, i: list_position(a, x) = i);
CREATE MACRO adf_except(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(a, lambda x, i: list_position(a, x) = i AND NOT adf_has(b, x)) END;
CREATE MACRO adf_intersect(a, b) AS CASE WHEN b IS NOT NULL THEN list_filter(a, lambda x, i: list_position(a, x) = i AND adf_has(b, x)) END;
CREATE MACRO adf_slice(a, f, n) AS CASE
  WHEN f IS NULL OR n IS NULL THEN NULL
  WHEN n <= 0 AND f <> 0 THEN a[1:0]
  WHEN f > 0 THEN a[f : f + n - 1]
  WHEN f < 0 AND len(a) + f >= 0 THEN a[len(a) + f + 1 : len(a) + f + n]
  WHEN f < 0 THEN a[1:0] END;
CREATE MACRO adf_sha2(n, b) AS CASE WHEN n IN (0, 256) THEN sha256(b) ELSE adf_sha2_bits(n, b) END;
CREATE MACRO adf_number(x) AS CASE WHEN NOT isnan(x) THEN x END;
CREATE MACRO adf_finite(x) AS CASE WHEN isfinite(CAST(x AS DOUBLE)) THEN CAST(x AS DOUBLE) END;
CREATE MACRO adf_infinite(x) AS NOT isfinite(CAST(x AS DOUBLE));
CREATE MACRO adf_spread(infinite, v) AS CASE WHEN infinite THEN CAST('NaN' AS DOUBLE) ELSE v END;
CREATE MACRO adf_skewness(g, n, v) AS CASE WHEN v > 0 AND n = 2 THEN 0.0::DOUBLE WHEN v > 0 THEN g * (n - 2) / sqrt(CAST(n AS DOUBLE) * (n - 1)) END;
