SELECT region, product, sum(price * quantity) AS revenue, count(*) AS orders, count(DISTINCT customer) AS buyers,
    min(price) AS least, max(price) AS most, avg(discount) AS discount, max(ordered) AS last
FROM sales
GROUP BY region, product
