-- What the old database has as a whole, and what of it stays behind.
SELECT 'what,of,old,left_behind';
SELECT CONCAT_WS('\n', CONCAT('calls,count,', o.rows_of, ',', s.rows_of), CONCAT('calls,billsec,', o.billsec, ',', s.billsec),
  CONCAT('calls,user_price,', plain(o.user_price), ',', plain(s.user_price)),
  CONCAT('calls,did_price,', plain(o.did_price), ',', plain(s.did_price)),
  CONCAT('calls,provider_price,', plain(o.provider_price), ',', plain(s.provider_price)),
  CONCAT('calls,reseller_price,', plain(o.reseller_price), ',', plain(s.reseller_price)),
  CONCAT('calls,did_inc_price,', plain(o.did_inc_price), ',', plain(s.did_inc_price)),
  CONCAT('calls,did_prov_price,', plain(o.did_prov_price), ',', plain(s.did_prov_price)),
  CONCAT('calls,partner_price,', plain(o.partner_price), ',', plain(s.partner_price)))
FROM (SELECT COUNT(*) AS rows_of, IFNULL(SUM(c.billsec), 0) AS billsec, IFNULL(SUM(c.user_price), 0) AS user_price,
    IFNULL(SUM(c.did_price), 0) AS did_price, IFNULL(SUM(c.provider_price), 0) AS provider_price,
    IFNULL(SUM(c.reseller_price), 0) AS reseller_price, IFNULL(SUM(c.did_inc_price), 0) AS did_inc_price,
    IFNULL(SUM(c.did_prov_price), 0) AS did_prov_price, IFNULL(SUM(c.partner_price), 0) AS partner_price FROM every_call c) o
JOIN (SELECT IFNULL(SUM(m.stays IS NOT NULL), 0) AS rows_of, IFNULL(SUM(IF(m.stays IS NULL, 0, m.billsec)), 0) AS billsec,
    IFNULL(SUM(IF(m.stays IS NOT NULL OR m.incoming, m.user_price, 0)), 0) AS user_price,
    IFNULL(SUM(IF(m.stays IS NOT NULL OR NOT m.incoming, m.did_price, 0)), 0) AS did_price,
    IFNULL(SUM(IF(m.stays IS NOT NULL, m.provider_price, 0)), 0) AS provider_price,
    IFNULL(SUM(IF(m.stays IS NOT NULL, m.reseller_price, 0)), 0) AS reseller_price, IFNULL(SUM(m.did_inc_price), 0) AS did_inc_price,
    IFNULL(SUM(m.did_prov_price), 0) AS did_prov_price, IFNULL(SUM(m.partner_price), 0) AS partner_price FROM moving_calls m) s;
SELECT CONCAT_WS('\n', CONCAT('rates of tariff ', o.name, ',count,', plain(o.f0), ',', plain(IFNULL(s.f0, 0))), CONCAT('rates of tariff ', o.name, ',sum,', plain(o.f1), ',', plain(IFNULL(s.f1, 0))))
FROM (SELECT IFNULL(r.tariff_id, 'none') AS name, COUNT(*) AS f0, IFNULL(SUM(r.rate), 0) AS f1 FROM every_rate r GROUP BY 1) o
LEFT JOIN (SELECT IFNULL(m.tariff_id, 'none') AS name, SUM(IF(m.stays IS NULL, 0, 1)) AS f0, SUM(IF(m.stays IS NULL, 0, IFNULL(m.rate, 0))) AS f1 FROM moving_rates m GROUP BY 1) s ON s.name = o.name ORDER BY o.name;
SELECT CONCAT_WS('\n', CONCAT('payments in ', o.name, ',count,', plain(o.f0), ',', plain(IFNULL(s.f0, 0))), CONCAT('payments in ', o.name, ',net,', plain(o.f1), ',', plain(IFNULL(s.f1, 0))), CONCAT('payments in ', o.name, ',gross,', plain(o.f2), ',', plain(IFNULL(s.f2, 0))))
FROM (SELECT IFNULL(e.name, p.currency) AS name, COUNT(*) AS f0, SUM(p.net) AS f1, SUM(p.gross) AS f2 FROM every_payment p LEFT JOIN every_currency e ON e.name = p.currency GROUP BY 1) o
LEFT JOIN (SELECT m.currency AS name, SUM(IF(m.stays IS NULL, 0, 1)) AS f0, SUM(IF(m.stays IS NULL, 0, m.net)) AS f1, SUM(IF(m.stays IS NULL, 0, m.gross)) AS f2 FROM moving_payments m GROUP BY 1) s ON s.name = o.name ORDER BY o.name;
SELECT CONCAT_WS('\n', CONCAT('invoices in ', o.name, ',count,', plain(o.f0), ',', plain(IFNULL(s.f0, 0))), CONCAT('invoices in ', o.name, ',price,', plain(o.f1), ',', plain(IFNULL(s.f1, 0))), CONCAT('invoices in ', o.name, ',price_with_vat,', plain(o.f2), ',', plain(IFNULL(s.f2, 0))))
FROM (SELECT IFNULL(e.name, i.currency) AS name, COUNT(*) AS f0, SUM(ROUND(i.price * i.by_rate, 15)) AS f1, SUM(ROUND(i.price_with_vat * i.by_rate, 15)) AS f2 FROM (SELECT IFNULL(IF(IFNULL(v.invoice_currency, '') = '', b.name, v.invoice_currency), '') AS currency, CAST(v.price AS DECIMAL(50,15)) AS price,
    CAST(IFNULL(v.price_with_vat, v.price) AS DECIMAL(50,15)) AS price_with_vat,
    CAST(IF(IFNULL(v.invoice_exchange_rate, 0) = 0, 1, v.invoice_exchange_rate) AS DECIMAL(30,15)) AS by_rate FROM invoices v LEFT JOIN currencies b ON b.id = 1) i
  LEFT JOIN every_currency e ON e.name = i.currency GROUP BY 1) o
LEFT JOIN (SELECT m.currency AS name, SUM(IF(m.stays IS NULL, 0, 1)) AS f0, SUM(IF(m.stays IS NULL, 0, m.price)) AS f1, SUM(IF(m.stays IS NULL, 0, m.price_with_vat)) AS f2 FROM moving_invoices m GROUP BY 1) s ON s.name = o.name ORDER BY o.name;
SELECT CONCAT('credit notes,count,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(COUNT(*), 0) AS n FROM credit_notes n) o JOIN (SELECT IFNULL(SUM(m.stays IS NOT NULL), 0) AS n FROM moving_credit_notes m) s;
SELECT CONCAT('credit notes,price,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(SUM(CAST(n.price AS DECIMAL(65,15))), 0) AS n FROM credit_notes n) o JOIN (SELECT IFNULL(SUM(IF(m.stays IS NULL, 0, m.price)), 0) AS n FROM moving_credit_notes m) s;
SELECT CONCAT('credit notes,price_with_vat,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(SUM(CAST(IFNULL(n.price_with_vat, n.price) AS DECIMAL(65,15))), 0) AS n FROM credit_notes n) o JOIN (SELECT IFNULL(SUM(IF(m.stays IS NULL, 0, m.price_with_vat)), 0) AS n FROM moving_credit_notes m) s;
SELECT CONCAT('lines of invoices,count,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(COUNT(*), 0) AS n FROM invoicedetails d) o JOIN (SELECT IFNULL(SUM(m.stays IS NOT NULL), 0) AS n FROM moving_invoice_lines m) s;
SELECT CONCAT('users,count,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(COUNT(*), 0) AS n FROM users u) o JOIN (SELECT IFNULL(SUM(m.stays IS NOT NULL), 0) AS n FROM moving_users m) s;
SELECT CONCAT('users,balance,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(SUM(CAST(u.balance AS DECIMAL(65,15))), 0) AS n FROM users u) o JOIN (SELECT IFNULL(SUM(IF(m.stays IS NULL, 0, m.balance)), 0) AS n FROM moving_users m) s;
SELECT CONCAT('devices,count,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(COUNT(*), 0) AS n FROM devices d) o JOIN (SELECT IFNULL(SUM(m.stays IS NOT NULL), 0) AS n FROM moving_devices m) s;
SELECT CONCAT('dids,count,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(COUNT(*), 0) AS n FROM dids d) o JOIN (SELECT IFNULL(SUM(m.stays IS NOT NULL), 0) AS n FROM moving_dids m) s;
SELECT CONCAT('destinations,count,', plain(o.n), ',', plain(s.n)) FROM (SELECT IFNULL(COUNT(*), 0) AS n FROM destinations d) o JOIN (SELECT IFNULL(SUM(m.stays IS NOT NULL), 0) AS n FROM moving_destinations m) s;
SELECT CONCAT('currencies,count,', COUNT(*), ',', COUNT(*) - COUNT(e.name)) FROM currencies c LEFT JOIN every_currency e ON BINARY e.name = c.name;
SELECT CONCAT('cards,balance,', plain(IFNULL(SUM(c.balance), 0)), ',', plain(IFNULL(SUM(c.balance), 0))) FROM cards c;
SELECT CONCAT('providers,count,', COUNT(*), ',0\n', 'providers,balance,', plain(IFNULL(SUM(p.balance), 0)), ',', plain(IFNULL(SUM(p.balance), 0))) FROM providers p;
SELECT CONCAT('tariffs,count,', COUNT(*), ',0') FROM tariffs t;
SELECT CONCAT('device_rules,count,', COUNT(*), ',0') FROM devicerules r;
SELECT CONCAT('lcrs,count,', COUNT(*), ',0') FROM lcrs l;
SELECT CONCAT('locations,count,', COUNT(*), ',0') FROM locations l;
SELECT CONCAT('location_rules,count,', COUNT(*), ',0') FROM locationrules r;
SELECT CONCAT('services,count,', COUNT(*), ',0') FROM services v;
SELECT CONCAT('subscriptions,count,', COUNT(*), ',0') FROM subscriptions v;
