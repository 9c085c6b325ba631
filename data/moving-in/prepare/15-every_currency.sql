-- MySQL joins names of currencies without regard to case: the name here is that of the table `currencies`.
CREATE OR REPLACE VIEW every_currency AS
SELECT MIN(c.name) AS name, MAX(c.exchange_rate) AS exchange_rate FROM currencies c WHERE c.exchange_rate > 0 GROUP BY c.name;
