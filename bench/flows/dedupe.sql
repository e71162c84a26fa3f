SELECT *
FROM sales
QUALIFY row_number() OVER (PARTITION BY customer, product ORDER BY ordered DESC NULLS FIRST) = 1
