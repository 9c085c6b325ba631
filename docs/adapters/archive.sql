/* The counters of each day: calls, answered calls, seconds, revenue and cost, as quickstats_get has them for admin */
SELECT day, count(*) AS calls,
       sum(CASE WHEN hangupcause = 16 THEN 1 ELSE 0 END) AS answered,
       sum(CASE WHEN hangupcause = 16 THEN billsec ELSE 0 END) AS billsec,
       sum(CASE WHEN hangupcause <> 16 THEN 0 WHEN direct THEN user_price ELSE reseller_price END) AS revenue,
       sum(CASE WHEN hangupcause = 16 THEN provider_price ELSE 0 END) AS self_cost
FROM calls WHERE day BETWEEN '2026-03-01' AND '2026-03-31' GROUP BY day ORDER BY day;

/* The counters of each reseller or partner, over the whole month */
SELECT owner_id, count(*) AS calls,
       sum(CASE WHEN hangupcause = 16 THEN user_price ELSE 0 END) AS revenue,
       sum(CASE WHEN hangupcause = 16 THEN reseller_price ELSE 0 END) AS self_cost
FROM calls WHERE day BETWEEN '2026-03-01' AND '2026-03-31' AND NOT direct GROUP BY owner_id ORDER BY owner_id;

/* The sums of each customer on a day, as npx tollgate archive show prints them */
SELECT user_id, count(*) AS calls, sum(user_price) AS user_price, sum(reseller_price) AS reseller_price,
       sum(provider_price) AS provider_price
FROM calls WHERE day = '2026-03-05' GROUP BY user_id ORDER BY user_id;

/* The quality of each carrier, as npx tollgate report calls --by provider shows it while the calls are in the table.
   Reports go by the disposition, counters by the hangup cause */
SELECT provider_id, count(*) AS calls,
       sum(CASE WHEN lower(disposition) = 'answered' THEN 1 ELSE 0 END) AS answered,
       sum(billsec) AS billsec
FROM calls WHERE day BETWEEN '2026-03-01' AND '2026-03-31' GROUP BY provider_id ORDER BY provider_id;

/* The calls of one customer, for an itemised bill */
SELECT calldate, uniqueid, src, dst, billsec, user_price
FROM calls WHERE day BETWEEN '2026-03-01' AND '2026-03-31' AND user_id = 10 ORDER BY calldate, uniqueid;
