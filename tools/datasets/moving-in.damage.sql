-- Rows that a database of years holds and that cannot move as they are, after those of moving-in.tables.sql. The newer schema.
ALTER TABLE rates ADD prefix varchar(60);
UPDATE rates r JOIN destinations d ON d.id = r.destination_id SET r.prefix = d.prefix;

-- Each kind of tariff is rated by its own tables: rates 21 and 23 stand in the wrong ones.
INSERT INTO tariffs VALUES (20, 'Retail 20', 'user', 0, 'USD'), (21, 'Wholesale 21', 'user_wholesale', 0, 'USD'), (22, 'Wholesale 22', 'user_wholesale', 0, 'USD');
INSERT INTO rates (id, tariff_id, destination_id, destinationgroup_id, prefix) VALUES (20, 20, 0, 2, NULL), (21, 20, 1, NULL, '370'), (22, 21, 1, NULL, '370'), (23, 21, 0, 2, NULL);
INSERT INTO ratedetails (id, rate, rate_id) VALUES (21, 8.88, 21), (22, 0.74, 22);
INSERT INTO aratedetails (id, `from`, duration, artype, round, price, rate_id) VALUES (20, 1, -1, 'minute', 60, 0.3, 20), (23, 1, -1, 'minute', 60, 7.77, 23);

-- The prefix of a rate differs from that of its destination (24), stands alone (25), or is missing (26).
INSERT INTO rates (id, tariff_id, destination_id, prefix) VALUES (24, 22, 1, '3706'), (25, 22, 0, '44'), (26, 22, 2, NULL);
INSERT INTO ratedetails (id, rate, rate_id) VALUES (24, 0.11, 24), (25, 0.12, 25), (26, 0.13, 26);

-- A window over midnight (27). Two prices at one moment: the older window (29), and the newer whole day (28).
INSERT INTO rates (id, tariff_id, destination_id, prefix, effective_from) VALUES (27, 22, 0, '45', NULL), (28, 22, 0, '46', '2026-01-02'), (29, 22, 0, '46', '2026-01-01');
INSERT INTO ratedetails (id, rate, rate_id, start_time, end_time) VALUES (27, 0.01, 27, '22:00:00', '06:00:00'), (28, 0.21, 28, '00:00:00', '23:59:59'), (29, 0.22, 29, '08:00:00', '20:00:00');

-- Calls that name a reseller, a device, a provider and another user that do not exist.
INSERT INTO calls (id, calldate, src, dst, billsec, disposition, uniqueid, src_device_id, dst_device_id, dst_user_id, provider_id, user_id, user_price, provider_price, reseller_id, reseller_price) VALUES
  (2001, '2026-02-12 23:00:00', '1007', '45123', 60, 'ANSWERED', '2001.1', 888, 889, 666, 777, 5, 0.25, 0.125, 999999, 0.0625);
-- Calls left behind that have amounts of everybody: of nobody (2002), of a card (2003), larger than this table holds (2004).
INSERT INTO calls (id, calldate, src, dst, billsec, disposition, uniqueid, user_id, user_price, provider_price, reseller_price, partner_price, did_price, did_inc_price, did_prov_price, card_id, reseller_id) VALUES
  (2002, '2026-02-12 10:00:00', '1', '2', 60, 'ANSWERED', '2002.1', 4711, 0.5, 0.04, 0.03, 0.02, 0.01, 0.005, 0.001, 0, 0),
  (2003, '2026-02-12 11:00:00', '1', '2', 60, 'ANSWERED', '2003.1', 5, 0.5, 0.04, 0.03, 0.02, 0.01, 0.005, 0.001, 22, 0),
  (2004, '2026-02-12 12:00:00', '1', '2', 60, 'ANSWERED', '2004.1', 5, 1234567890123456.5, 0.04, 0, 0, 0, 0, 0, 0, 0),
  (2005, '2026-02-12 13:00:00', '1', '2', 60, 'ANSWERED', '2005.1', 5, 0.5, 0, 0, 0, 0, 0, 0, -1, 0);
-- Archived twice: once alike, once with another price.
INSERT INTO calls (id, calldate, src, dst, billsec, disposition, uniqueid, user_id, user_price, reseller_id) VALUES
  (3001, '2026-02-13 09:00:00', '1007', '370', 60, 'ANSWERED', '3001.1', 5, 0.5, 0), (3002, '2026-02-13 10:00:00', '1007', '370', 60, 'ANSWERED', '3002.1', 5, 0.5, 0);
INSERT INTO calls_old SELECT * FROM calls WHERE id IN (3001, 3002);
UPDATE calls_old SET user_price = 0.75 WHERE id = 3002;

-- Payments with tax. The net amount is amount - tax (60), without the tax of the user (61), gross (62), amount (63, 64); the gross one is amount, or amount + tax (63).
INSERT INTO taxes (id, tax1_value, compound_tax) VALUES (1, 70, 0), (2, 10, 1);
UPDATE taxes SET tax2_enabled = 1, tax2_value = 20 WHERE id = 2;
UPDATE users SET tax_id = 1 WHERE id = 5;
UPDATE users SET tax_id = 2, minimal_charge = 25, minimal_charge_start_at = '2026-02-14' WHERE id = 6;
UPDATE users SET minimal_charge = 5 WHERE id = 5;
INSERT INTO payments (id, paymenttype, amount, gross, tax, currency, date_added, completed, user_id) VALUES (60, 'manual', 17, 0, 7, 'USD', '2026-03-03 10:00:00', 1, 5),
  (61, 'manual', 10, 0, NULL, 'USD', '2026-03-03 10:00:00', 1, 5), (62, 'paypal', 12.1, 10, 2.1, 'USD', '2026-03-03 10:00:00', 1, 5), (63, 'webtopay', 8, 0, 1.68, 'USD', '2026-03-03 10:00:00', 1, 5),
  (64, 'invoice', 5, 0, 0, 'USD', '2026-03-03 10:00:00', 1, 5), (65, 'manual', 3, 0, 0, 'usd', '2026-03-03 10:00:00', 1, 5), (66, 'a,"b"', 2, 0, NULL, 'USD', '2026-03-03 10:00:00', 1, 99);
INSERT INTO invoices (id, user_id, period_start, period_end, issue_date, paid, price, price_with_vat, number, invoice_currency, invoice_exchange_rate, tax_id, payment_id) VALUES
  (64, 5, '2026-02-01', '2026-02-28', '2026-03-03', 1, 5, 7, 'INV0064', 'USD', 1, 2, 64);
-- Credit notes that are paid without a date.
SET sql_mode = '';
INSERT INTO credit_notes (id, user_id, issue_date, number, price, price_with_vat, status, pay_date) VALUES (17, 5, '2026-03-04', 'CN-17', 2, 2, 'paid', NULL), (18, 5, '2026-03-05', 'CN-18', 2, 2, 'paid', '0000-00-00');
SET sql_mode = DEFAULT;

-- A device with all that its API shows. Accounts of one name, without a password, with that of everybody, and with owners in a circle.
UPDATE devices SET pin = '1234', call_limit = 3, max_timeout = 55, transport = 'tls', encryption = 'yes' WHERE id = 7;
INSERT INTO codecs VALUES (1, 'alaw', 'audio'), (2, 'g729', 'audio'), (3, 'h264', 'video');
INSERT INTO devicecodecs (device_id, codec_id, priority) VALUES (7, 1, 2), (7, 2, 1), (7, 3, 1);
INSERT INTO devices (id, name, user_id, transport) VALUES (9, 'BOB7', 5, 'pigeon');
INSERT INTO users (id, username, password, usertype, owner_id, first_name) VALUES (31, 'BOB', SHA1('x'), 'user', 0, ''), (32, 'bob ', SHA1('x'), 'user', 0, ''), (33, 'blank', '', 'user', 0, 'Å½yd'),
  (34, 'anybody', SHA1(''), 'user', 0, 'Žydrūnas'), (35, 'chicken', SHA1('x'), 'reseller', 36, ''), (36, 'egg', SHA1('x'), 'reseller', 35, ''), (37, '', SHA1('x'), 'user', 0, 'Nameless');
-- Balances of an account, a card and a provider.
UPDATE users SET balance = 12.5, call_limit = 3, daily_balance_limit = 20.5 WHERE id = 5;
UPDATE users SET call_limit = 5000, daily_balance_limit = 0, credit = -5 WHERE id = 31;
UPDATE users SET balance = 0.25 WHERE id = 37;
INSERT INTO cards VALUES (22, '9,9', 0, 3.3), (23, '98', 0, 0);
UPDATE providers SET balance = 7 WHERE id = 2;
-- A DID whose provider and device do not exist, a name that is not UTF-8, holidays, a setting without a meaning here, tables that no query reads.
INSERT INTO dids (id, did, status, provider_id, user_id, device_id, reseller_id) VALUES (20, '37052000020', 'active', 14, 5, 555, 0);
ALTER TABLE services MODIFY name varbinary(255);
INSERT INTO services (id, name, servicetype) VALUES (2, UNHEX('436166E9'), 'periodic_fee'), (3, 'Café', 'periodic_fee');
INSERT INTO days VALUES (1, '2000-01-03', 'FD', 'A holiday, "free"'), (2, '2099-12-25', 'FD', 'Christmas'), (3, '2099-12-26', 'WD', 'Inventory'), (4, '2099-12-27', 'FD', 'A Sunday');
INSERT INTO calls (id, calldate, src, dst, billsec, disposition, uniqueid, user_id, user_price, reseller_id) VALUES (2006, '2000-01-03 10:00:00', '1007', '370', 60, 'ANSWERED', '2006.1', 5, 0.5, 0);
INSERT INTO conflines (name, value, owner_id) VALUES ('Logo_Picture', 'logo,\n"big".png', 0), ('Allow_API', '0', 3);
CREATE TABLE didrates (id bigint PRIMARY KEY, rate decimal(30,15), did_id int);
INSERT INTO didrates VALUES (1, 0.02, 20);
-- Rows that name what does not exist.
INSERT INTO devicerules (id, device_id, name, cut) VALUES (2, 999, 'Of nobody', '0');
INSERT INTO subscriptions (id, service_id, user_id, device_id, activation_start) VALUES (2, 1, 999, 0, '2026-01-01');
INSERT INTO locationrules (id, location_id, name, cut, tariff_id) VALUES (2, 99, 'Nowhere', '0', 1);
-- Values that move otherwise: currencies in other letters and without a rate, amounts that are missing or too fine, words that nothing here has.
INSERT INTO tariffs VALUES (23, 'In eur', 'user_wholesale', 0, 'eur'), (24, 'In zzz', 'user_wholesale', 0, 'ZZZ');
INSERT INTO payments (id, paymenttype, amount, currency, date_added, completed, user_id) VALUES (67, 'manual', NULL, 'eur', '2026-03-03 10:00:00', 1, 5);
UPDATE users SET currency_id = 99 WHERE id = 34;
INSERT INTO dids (id, did, status, user_id, device_id, reseller_id) VALUES (21, '37052000021', 'parked', 5, 0, 0);
INSERT INTO calls (id, calldate, src, dst, billsec, disposition, uniqueid, user_id, user_price, provider_price, reseller_id) VALUES
  (2007, '2026-02-12 14:00:00', '1007', '370', 60, 'ANSWERED', '2007.1', 5, 1e-16, 0.1234567890123456, 0), (2008, '2026-02-12 15:00:00', '1007', '370', 60, 'ANSWERED', '2008.1', 5, NULL, 0, 0);
