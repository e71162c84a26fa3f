-- Databricks notebook source
CREATE OR REFRESH STREAMING TABLE bronze.orders
  (CONSTRAINT ok EXPECT (id IS NOT NULL) ON VIOLATION DROP ROW)
AS SELECT * FROM STREAM read_files(
  's3://landing/orders/',
  format => 'json',
  schemaHints => 'id INT, at TIMESTAMP', -- comment
  inferColumnTypes => false
);
CREATE OR REFRESH STREAMING LIVE TABLE raw AS
SELECT * FROM cloud_files("/mnt/raw", "csv", map("header", "true", "delimiter", ";"));
