SELECT s.id, s.customer AS buyer, s.product, s.quantity, s.price, c.name, c.country, p.title, p.category
FROM sales AS s
JOIN customers AS c ON s.customer = c.customer
LEFT JOIN products AS p ON s.product = p.product
