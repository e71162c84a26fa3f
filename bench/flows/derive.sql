SELECT *, price * quantity AS total, CAST(price * CAST(1.0 - discount AS DECIMAL(6,3)) AS DECIMAL(18,2)) AS net,
    lower(trim(email)) AS mail, split_part(trim(email), '@', 2) AS domain, substring(note, 1, 8) AS short,
    year(due) AS year, month(due) AS month, region || '-' || product AS label,
    CASE WHEN due < DATE '2025-01-01' THEN 'old' ELSE 'new' END AS late
FROM sales
WHERE status <> 'cancelled' AND quantity > 2
