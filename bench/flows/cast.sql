SELECT id AS order_id, CAST(customer AS BIGINT) AS buyer, product, ordered, CAST(due AS TIMESTAMPTZ) AS due,
    CAST(quantity AS DECIMAL(10,2)) AS quantity, price, CAST(discount AS FLOAT) AS discount, status, region, email, note,
    TRY_CAST(weight AS DECIMAL(10,2)) AS weight
FROM sales
