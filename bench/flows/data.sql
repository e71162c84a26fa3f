CREATE TABLE sales AS SELECT
    i AS id,
    CAST(hash(i) % (:rows // 20) AS INTEGER) AS customer,
    CAST(hash(i + 1) % 10000 AS INTEGER) AS product,
    TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_microseconds(CAST(hash(i + 12) % 60000000000000 AS BIGINT)) AS ordered,
    DATE '2024-01-01' + CAST(hash(i + 2) % 730 AS INTEGER) AS due,
    CAST(1 + hash(i + 3) % 20 AS INTEGER) AS quantity,
    CAST((hash(i + 4) % 1000000) / 100 AS DECIMAL(12,2)) AS price,
    (hash(i + 5) % 1024) / 1024.0::DOUBLE AS discount,
    ['open', 'paid', 'shipped', 'cancelled', NULL][CAST(1 + hash(i + 6) % 5 AS BIGINT)] AS status,
    ['north', 'south', 'east', 'west'][CAST(1 + hash(i + 7) % 4 AS BIGINT)] AS region,
    '  user' || (hash(i + 8) % 5000000) || '@mail' || (hash(i + 9) % 100) || '.example ' AS email,
    md5(CAST(i AS VARCHAR)) AS note,
    CAST(hash(i + 10) % 1000000 AS VARCHAR) || '.' || CAST(hash(i + 11) % 90 + 10 AS VARCHAR) AS weight
FROM range(:rows) AS r(i);
CREATE TABLE customers AS SELECT CAST(i AS INTEGER) AS customer, 'Customer ' || i AS name, ['DE', 'FR', 'IT', 'PL'][CAST(1 + hash(i) % 4 AS BIGINT)] AS country
FROM range(:rows // 25) AS r(i);
CREATE TABLE products AS SELECT CAST(i AS INTEGER) AS product, 'Product ' || i AS title, CAST(i % 50 AS INTEGER) AS category
FROM range(9000) AS r(i);
