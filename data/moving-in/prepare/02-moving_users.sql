-- A limit of 0 is none (`user.rb:2880`). The limit of a day came with a later version: its column is named as its API names it.
CREATE OR REPLACE VIEW moving_users AS
SELECT u.id, u.username, u.password, u.usertype, u.owner_id, u.first_name, u.last_name, u.tariff_id, u.primary_device_id,
  u.uniquehash, u.agreement_number, u.clientid, u.blocked, u.balance, u.credit, u.postpaid, u.tax_id, u.vat_number, u.address_id, u.call_limit, u.daily_balance_limit, c.name AS currency, u.minimal_charge,
  IF(u.minimal_charge > 0 AND u.minimal_charge_start_at > '1970-01-01', DATE_FORMAT(u.minimal_charge_start_at, '%Y-%m-01'), NULL) AS minimum_from,
  IF(u.id < 0 OR TRIM(u.username) = '', 'users', NULL) AS stays
FROM users u LEFT JOIN currencies c ON c.id = u.currency_id;
