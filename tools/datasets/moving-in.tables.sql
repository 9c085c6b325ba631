-- The columns that docs/moving-in.md reads, with the types of its sources.
CREATE TABLE conflines (id int AUTO_INCREMENT PRIMARY KEY, name varchar(255), value varchar(255), owner_id int DEFAULT 0);
CREATE TABLE currencies (id int PRIMARY KEY, name varchar(5), exchange_rate double, curr_update tinyint DEFAULT 1);
CREATE TABLE users (id int PRIMARY KEY, username varchar(30) NOT NULL, password varchar(100) NOT NULL, usertype varchar(20) NOT NULL DEFAULT 'user',
  first_name varchar(50) NOT NULL DEFAULT '', last_name varchar(50) NOT NULL DEFAULT '', blocked tinyint NOT NULL DEFAULT 0, tariff_id bigint NOT NULL DEFAULT 0,
  primary_device_id int NOT NULL DEFAULT 0, clientid varchar(30), agreement_number varchar(20), owner_id int DEFAULT 0, uniquehash varchar(10), currency_id int DEFAULT 1, tax_id int NOT NULL DEFAULT 0,
  balance decimal(30,15) NOT NULL DEFAULT 0, credit decimal(30,15) NOT NULL DEFAULT -1, postpaid tinyint NOT NULL DEFAULT 1,
  call_limit int DEFAULT 0, daily_balance_limit decimal(30,15), vat_number varchar(30), address_id int, minimal_charge int DEFAULT 0, minimal_charge_start_at datetime);
CREATE TABLE addresses (id int PRIMARY KEY, direction_id bigint, state varchar(30), county varchar(30), city varchar(30), postcode varchar(15), address varchar(100),
  phone varchar(30), mob_phone varchar(30), fax varchar(30), email varchar(100));
INSERT INTO addresses VALUES (18, 1, '', 'Harju', 'Tallinn', '10111', 'Viru 1', '+372 600 1', NULL, '', 'bob@example.com'), (19, 1, '', '', 'Vilnius', '', '', '', '', '', 'two words');
CREATE TABLE tariffs (id bigint PRIMARY KEY, name varchar(255) NOT NULL, purpose varchar(255) NOT NULL DEFAULT 'user', owner_id int DEFAULT 0, currency varchar(255));
CREATE TABLE directions (id bigint PRIMARY KEY, name varchar(255) NOT NULL, code varchar(255) NOT NULL);
CREATE TABLE destinationgroups (id int PRIMARY KEY, name varchar(255));
CREATE TABLE destinations (id bigint PRIMARY KEY, prefix varchar(255), direction_code varchar(20), subcode varchar(255), name varchar(255), destinationgroup_id int DEFAULT 0);
CREATE TABLE rates (id bigint PRIMARY KEY, tariff_id bigint NOT NULL, destination_id bigint NOT NULL DEFAULT 0, destinationgroup_id int, effective_from datetime);
CREATE TABLE customrates (id int PRIMARY KEY, user_id int, destinationgroup_id int);
CREATE TABLE acustratedetails (id int PRIMARY KEY, `from` int, duration int, artype enum('event','minute'), round int, price decimal(30,15), customrate_id int,
  start_time time DEFAULT '00:00:00', end_time time DEFAULT '23:59:59', daytype enum('','FD','WD') DEFAULT '');
CREATE TABLE ratedetails (id bigint PRIMARY KEY, start_time time NOT NULL DEFAULT '00:00:00', end_time time NOT NULL DEFAULT '23:59:59', rate decimal(30,15) DEFAULT 0,
  connection_fee decimal(30,15) DEFAULT 0, rate_id bigint NOT NULL, increment_s int NOT NULL DEFAULT 1, min_time int NOT NULL DEFAULT 0, daytype enum('','FD','WD') DEFAULT '');
CREATE TABLE aratedetails (id int PRIMARY KEY, `from` int, duration int, artype enum('event','minute'), round int, price decimal(30,15), rate_id bigint,
  start_time time DEFAULT '00:00:00', end_time time DEFAULT '23:59:59', daytype enum('','FD','WD') DEFAULT '');
CREATE TABLE devices (id int PRIMARY KEY, name varchar(100) NOT NULL, host varchar(100) NOT NULL DEFAULT 'dynamic', secret varchar(50) NOT NULL DEFAULT '', context varchar(100) NOT NULL DEFAULT 'mor_local',
  ipaddr varchar(15), port int NOT NULL DEFAULT 0, callerid varchar(100), extension varchar(50) NOT NULL DEFAULT '', username varchar(60) NOT NULL DEFAULT '',
  device_type varchar(10) NOT NULL DEFAULT 'SIP', user_id int NOT NULL DEFAULT 0, devicegroup_id int, fromuser varchar(255), description varchar(255), language varchar(10) DEFAULT 'en',
  pin varchar(255), call_limit int DEFAULT 0, max_timeout int DEFAULT 0, transport varchar(10) DEFAULT 'udp', encryption varchar(3) DEFAULT 'no');
CREATE TABLE codecs (id bigint PRIMARY KEY, name varchar(255) NOT NULL, codec_type varchar(255) NOT NULL DEFAULT 'audio');
CREATE TABLE devicecodecs (id int AUTO_INCREMENT PRIMARY KEY, device_id int NOT NULL, codec_id int NOT NULL, priority int DEFAULT 0);
CREATE TABLE devicerules (id int PRIMARY KEY, device_id int NOT NULL, name varchar(255), enabled tinyint NOT NULL DEFAULT 1, cut varchar(255), `add` varchar(255),
  minlen int NOT NULL DEFAULT 1, maxlen int NOT NULL DEFAULT 100, pr_type enum('dst','src') DEFAULT 'dst');
CREATE TABLE dids (id int PRIMARY KEY, did varchar(50) NOT NULL, status varchar(255) NOT NULL DEFAULT 'free', provider_id int DEFAULT 0, user_id int NOT NULL DEFAULT 0, device_id int NOT NULL DEFAULT 0, reseller_id int NOT NULL DEFAULT 0);
CREATE TABLE lcrs (id bigint PRIMARY KEY, name varchar(255) NOT NULL, user_id int DEFAULT 0);
CREATE TABLE locations (id int PRIMARY KEY, name varchar(255), user_id int DEFAULT 0);
CREATE TABLE locationrules (id int PRIMARY KEY, location_id int NOT NULL, name varchar(255), enabled tinyint NOT NULL DEFAULT 1, cut varchar(255), `add` varchar(255),
  minlen int NOT NULL DEFAULT 1, maxlen int NOT NULL DEFAULT 99, lr_type enum('dst','src') DEFAULT 'dst', lcr_id int, tariff_id int, did_id int, device_id int);
CREATE TABLE providers (id bigint PRIMARY KEY, name varchar(255) NOT NULL, tariff_id bigint NOT NULL DEFAULT 0, balance decimal(30,15) DEFAULT 0);
CREATE TABLE providerrules (id int PRIMARY KEY, provider_id int NOT NULL, name varchar(255), enabled tinyint NOT NULL DEFAULT 1, cut varchar(255), `add` varchar(255), minlen int NOT NULL DEFAULT 1, maxlen int NOT NULL DEFAULT 100, pr_type enum('dst','src') DEFAULT 'dst');
CREATE TABLE cards (id bigint PRIMARY KEY, number varchar(255), owner_id int DEFAULT 0, balance decimal(30,15) DEFAULT 0);
CREATE TABLE days (id int PRIMARY KEY, date date, daytype enum('FD','WD') DEFAULT 'FD', description varchar(255));
CREATE TABLE taxes (id int PRIMARY KEY, tax1_value decimal(30,15) DEFAULT 0, tax2_enabled tinyint NOT NULL DEFAULT 0, tax2_value decimal(30,15) DEFAULT 0, tax3_enabled tinyint NOT NULL DEFAULT 0, tax3_value decimal(30,15) DEFAULT 0,
  tax4_enabled tinyint NOT NULL DEFAULT 0, tax4_value decimal(30,15) DEFAULT 0, compound_tax tinyint DEFAULT 1);
CREATE TABLE calls (id int AUTO_INCREMENT PRIMARY KEY, calldate datetime NOT NULL, src varchar(80) NOT NULL DEFAULT '', dst varchar(80) NOT NULL DEFAULT '', duration int NOT NULL DEFAULT 0, billsec int NOT NULL DEFAULT 0,
  disposition varchar(45) NOT NULL DEFAULT '', uniqueid varchar(32) NOT NULL, src_device_id int NOT NULL DEFAULT 0, dst_device_id int NOT NULL DEFAULT 0, dst_user_id int, provider_id int, provider_rate double, provider_price double,
  user_id int, user_rate double, user_price double, reseller_id int, reseller_price double, partner_price double, hangupcause int, card_id int DEFAULT 0,
  did_price double NOT NULL DEFAULT 0, did_inc_price double DEFAULT 0, did_prov_price double DEFAULT 0);
CREATE TABLE calls_old LIKE calls;
CREATE TABLE services (id int PRIMARY KEY, name varchar(255), servicetype varchar(255) NOT NULL, periodtype varchar(255) NOT NULL DEFAULT 'day', price double NOT NULL DEFAULT 0, owner_id int DEFAULT 0, quantity int, selfcost_price double NOT NULL DEFAULT 0);
CREATE TABLE subscriptions (id int PRIMARY KEY, service_id int, user_id int, device_id int, activation_start datetime, activation_end datetime, memo varchar(255));
CREATE TABLE payments (id int PRIMARY KEY, paymenttype varchar(255), amount decimal(30,15) DEFAULT 0, card tinyint DEFAULT 0, currency varchar(5) NOT NULL DEFAULT 'USD', date_added datetime, completed tinyint NOT NULL DEFAULT 0,
  transaction_id varchar(255), shipped_at datetime, fee decimal(30,15) DEFAULT 0, user_id int, pending_reason varchar(255), gross decimal(30,15) DEFAULT 0, tax decimal(30,15) DEFAULT 0);
CREATE TABLE credit_notes (id int PRIMARY KEY, user_id int, issue_date datetime NOT NULL, number varchar(255), comment text, price decimal(30,15), price_with_vat decimal(30,15), pay_date datetime, status enum('paid','unpaid') NOT NULL DEFAULT 'unpaid');
CREATE TABLE invoices (id int PRIMARY KEY, user_id int, period_start date NOT NULL, period_end date NOT NULL, issue_date date, paid tinyint, price decimal(30,15), price_with_vat decimal(30,15), number varchar(255),
  invoice_currency varchar(5), invoice_exchange_rate decimal(30,15), tax_id int, payment_id int);
CREATE TABLE invoicedetails (id int PRIMARY KEY, invoice_id int, name varchar(255), quantity int, price decimal(30,15), invdet_type tinyint DEFAULT 1, prefix varchar(255), total_time varchar(255));

INSERT INTO conflines (name, value) VALUES ('Allow_API', '1'), ('API_Secret_Key', 'secret-of-tests-of-the-move'), ('Company', 'Old Voice'), ('Nice_Number_Digits', '4'), ('Devices_Check_Rate', '1');
INSERT INTO currencies VALUES (1, 'USD', 1, 0), (2, 'EUR', 0.73853104, 1), (3, 'XXX', 0, 1);
INSERT INTO users (id, username, password, usertype, first_name, last_name, owner_id, tariff_id, primary_device_id, uniquehash, currency_id, blocked) VALUES
  (-1, 'system', '', 'admin', '', '', 0, 0, 0, NULL, 1, 0),
  (0, 'admin', SHA1('admin of old'), 'admin', 'System', 'Admin', 0, 0, 0, 'a1', 1, 0),
  (3, 'reseller', SHA1('reseller of old'), 'reseller', 'Re', 'Seller', 0, 2, 0, NULL, 1, 0),
  (5, 'bob', SHA1('bob of old'), 'user', 'Bob', 'O''Brien "Bobby"', 0, 1, 7, 'b5', 2, 0),
  (6, 'eve', SHA1('eve of old'), 'user', 'Eve', 'Żółć', 3, 2, 0, NULL, 1, 1);
UPDATE users SET address_id = 18, vat_number = 'EE123456789' WHERE id = 5;
UPDATE users SET address_id = 19 WHERE id = 6;
INSERT INTO tariffs VALUES (1, 'Wholesale', 'user_wholesale', 0, 'USD'), (2, 'Retail', 'user', 0, 'EUR'), (4, 'Of Thames', 'provider', 0, 'USD');
INSERT INTO directions VALUES (1, 'Lithuania', 'LTU'), (2, 'Germany', 'DEU'), (3, 'Germany again', 'DEU');
INSERT INTO destinationgroups VALUES (1, 'Lithuania fixed'), (2, 'Lithuania mobile');
-- Destination 3 has no group, and 4 has no prefix; the name of 2 has a tab.
INSERT INTO destinations VALUES (1, '370', 'LTU', 'FIX', 'Lithuania proper', 1), (2, '3706', 'LTU', 'MOB', ' \tLithuania mobile', 2), (3, '49', 'DEU', 'FIX', 'Germany', 9), (4, '', NULL, NULL, NULL, 0),
  (5, '3709', 'LTU', 'PRM', 'Lithuania premium', 1);
-- Rate 6 blocks a prefix. Rates 7 to 10 have no price, no destination, no tariff, and a price below -1. Rates 11 and 12 are two prices of one prefix.
INSERT INTO rates VALUES (1, 1, 1, NULL, NULL), (2, 1, 2, NULL, '2026-01-01 00:00:00'), (3, 4, 1, NULL, NULL), (4, 2, 0, 1, NULL), (5, 2, 0, 2, NULL), (6, 1, 5, NULL, NULL),
  (7, 1, 1, NULL, NULL), (8, 1, 77, NULL, NULL), (9, 99, 1, NULL, NULL), (10, 4, 3, NULL, NULL), (11, 4, 2, NULL, NULL), (12, 4, 2, NULL, NULL);
INSERT INTO ratedetails (id, rate, rate_id, increment_s, min_time, connection_fee, daytype, start_time) VALUES
  (1, 0.02, 1, 1, 0, 0, '', '00:00:00'), (2, 0.051234, 2, 60, 60, 0.01, 'WD', '08:00:00'), (3, 0.04, 2, 60, 60, 0.01, 'FD', '00:00:00'), (4, 0.01, 3, 1, 0, 0, '', '00:00:00'), (5, -1, 6, 1, 0, 0, '', '00:00:00'),
  (6, 0.5, 8, 1, 0, 0, '', '00:00:00'), (7, 0.6, 9, 1, 0, 0, '', '00:00:00'), (8, -2, 10, 1, 0, 0, '', '00:00:00'), (9, 0.07, 11, 1, 0, 0, '', '00:00:00'), (10, 0.08, 12, 1, 0, 0, '', '00:00:00');
INSERT INTO aratedetails (id, `from`, duration, artype, round, price, rate_id) VALUES (1, 1, -1, 'minute', 60, 0.1, 4), (2, 1, -1, 'minute', 1, 0.2, 5), (3, 1, 1, 'event', 1, 0.05, 5);
INSERT INTO customrates VALUES (1, 5, 1), (2, 6, 2);
INSERT INTO acustratedetails (id, `from`, duration, artype, round, price, customrate_id) VALUES (1, 1, -1, 'minute', 60, 0.011, 1), (2, 1, -1, 'minute', 60, 0.022, 2);
INSERT INTO providers (id, name, tariff_id) VALUES (2, 'Thames', 4);
INSERT INTO devices (id, name, secret, extension, username, user_id, callerid, description, devicegroup_id) VALUES
  (7, 'bob7', 'hush hush', '1007', 'bob7', 5, '"Bob" <37060000007>', 'desk\nphone', 1), (8, 'prov8', 'x', '', 'prov8', -1, NULL, NULL, NULL);
INSERT INTO devicerules (id, device_id, name, cut, `add`) VALUES (1, 7, 'Local', '8', '370');
INSERT INTO dids (id, did, status, provider_id, user_id, device_id, reseller_id) VALUES (1, '37052000001', 'active', 2, 5, 7, 0), (2, '37052000002', 'free', 0, 0, 0, 3), (3, '37052000003', 'reserved', 2, -1, 0, 44);
INSERT INTO lcrs VALUES (1, 'Cheapest', 0);
INSERT INTO locations VALUES (1, 'Global', 0);
INSERT INTO locationrules (id, location_id, name, cut, `add`, lcr_id, tariff_id) VALUES (1, 1, 'Abroad', '00', '', 1, 0);
INSERT INTO calls (calldate, src, dst, duration, billsec, disposition, uniqueid, src_device_id, provider_id, provider_rate, provider_price, user_id, user_rate, user_price, reseller_id, hangupcause) VALUES
  ('2026-02-09 09:00:00', '1007', '37061234567', 70, 60, 'ANSWERED', '1234.5', 7, 2, 0.01, 0.0123456789, 5, 0.2, 0.2, 0, 16),
  ('2026-02-09 08:59:00', '1007', '37061234567', 10, 0, 'FAILED', '1234.5', 7, 2, NULL, NULL, 5, NULL, NULL, 0, 34),
  ('2026-02-09 10:00:00', '2000', '3701', 30, 20, 'ANSWERED', '1234.9', 0, NULL, NULL, NULL, 6, 0.02, 0.0066667, 3, 16),
  ('2026-02-10 23:59:59', '2000', '3701', 30, 20, 'ANSWERED', '', -1, 0, NULL, NULL, 6, 0.02, 1e-9, 3, 16),
  ('2026-02-09 11:00:00', '', '', 0, 0, 'FAILED', '1235.0', 0, NULL, NULL, NULL, -1, NULL, NULL, 0, 0),
  ('2026-02-11 11:00:00', '1', '2', 9, 9, 'ANSWERED', '1235.1', 0, NULL, NULL, NULL, 4711, NULL, 0.3, 0, 16);
-- Two incoming calls of Bob, a call that he made to a DID of Eve, and two calls with a calling card.
INSERT INTO calls (calldate, src, dst, duration, billsec, disposition, uniqueid, dst_device_id, dst_user_id, user_id, user_price, did_price, did_inc_price, did_prov_price, card_id, hangupcause) VALUES
  ('2026-02-09 12:00:00', '4930', '37052000001', 40, 33, 'ANSWERED', '1236.0', 7, 5, -1, 2, 0.15, 0, 0.01, 0, 16),
  ('2026-02-09 13:00:00', '4930', '37052000001', 40, 30, 'ANSWERED', '1236.1', 7, 5, -1, NULL, 0, 0, 0, 0, 16),
  ('2026-02-09 14:00:00', '1007', '37052000002', 40, 10, 'ANSWERED', '1236.2', 0, 6, 5, 0.4, 0.04, 0.001, 0, 0, 16),
  ('2026-02-09 15:00:00', '4930', '37052000009', 40, 35, 'ANSWERED', '1236.3', 0, NULL, -1, 0.7, 0, 0, 0, 22, 16),
  ('2026-02-09 16:00:00', '4930', '37052000009', 40, 35, 'ANSWERED', '1236.4', 0, NULL, 5, 0.8, 0, 0, 0, 23, 16);
INSERT INTO calls_old (id, calldate, src, dst, duration, billsec, disposition, uniqueid, src_device_id, user_id, user_rate, user_price, reseller_id, hangupcause) VALUES
  (1001, '2026-01-09 09:00:00', '1007', '37061234567', 70, 60, 'ANSWERED', '1000.5', 7, 5, 0.2, 0.21, 0, 16),
  (1002, '2026-01-31 23:59:59', '1007', '37061234567', 70, 60, 'ANSWERED', '1000.6', 7, 5, 0.2, 0.22, 0, 16),
  (1003, '2026-01-10 09:00:00', '', '', 1, 1, 'FAILED', '1000.7', 0, NULL, NULL, 0.000001, 0, 16);
INSERT INTO services VALUES (1, 'Line', 'periodic_fee', 'month', 10, 0, 1, 4.5);
INSERT INTO subscriptions VALUES (1, 1, 5, 0, '2026-01-01 00:00:00', NULL, 'first');
-- Payments 2 and 3 belong to the calling cards 5 and 9, payment 4 to nobody, and payment 5 is in a currency without a rate.
INSERT INTO payments (id, paymenttype, amount, currency, date_added, completed, transaction_id, shipped_at, user_id, card) VALUES (1, 'manual', 12.5, 'EUR', '2026-03-01 10:00:00', 1, 'T-1', '2026-03-01 10:01:00', 5, 0),
  (2, 'Card', 20, 'USD', '2026-03-01 10:00:00', 1, 'T-2', NULL, 5, 1), (3, 'Card', 0.01, 'EUR', '2026-03-01 10:00:00', 1, 'T-3', NULL, 9, 1), (4, 'paypal', 7.77, 'USD', '2026-03-01 10:00:00', 1, 'T-4', NULL, 99, 0),
  (5, 'paypal', 8, 'XXX', '2026-03-01 10:00:00', 1, 'T-5', NULL, 5, 0), (6, 'manual', 1.000000000000001, '', '2026-03-02 10:00:00', 0, 'T-6', NULL, 6, 0);
INSERT INTO credit_notes (id, user_id, issue_date, number, comment, price, price_with_vat, pay_date) VALUES (1, 5, '2026-03-02 15:16:17', 'CN-1', 'late', 5, 6.05, NULL), (2, 99, '2026-03-02 15:16:17', 'CN-2', '', 1, 1, NULL);
-- Invoice 1 is in euros, with amounts in dollars. Its lines come to its price: three calls, and two times 113.333350 for a service.
INSERT INTO invoices (id, user_id, period_start, period_end, issue_date, paid, price, price_with_vat, number, invoice_currency, invoice_exchange_rate) VALUES (1, 5, '2026-02-01', '2026-02-28', '2026-03-03', 0, 235.6667, 285.156707, 'INV0001', 'EUR', 0.73853104), (2, 6, '2026-02-01', '2026-02-28', '2026-03-03', 1, 0.0066667, NULL, 'INV0002', NULL, NULL),
  (3, 99, '2026-02-01', '2026-02-28', '2026-03-03', 0, 1, 1.21, 'INV0003', 'USD', 1), (4, 5, '2026-02-01', '2026-02-28', '2026-03-03', 0, 3, 3.63, 'INV0004', 'EUR', 0);
INSERT INTO invoicedetails VALUES (1, 1, 'Calls', 3, 9, 1, '370', '00:03:00'), (2, 1, 'Line', 2, 113.33335, 1, '', ''), (3, 3, 'Calls', 1, 1, 0, '', ''), (4, 4, 'Lithuania', 5, 3, 0, '370', '');
