-- A reference to what does not move is `NULL`, and stands in `references`.
CREATE OR REPLACE VIEW moving_calls AS
SELECT b.*, CASE WHEN b.reason IS NULL THEN NULL WHEN b.card_id > 0 THEN 'card_calls' ELSE 'calls' END AS stays FROM (
  SELECT c.*, o.id AS owner_id, IF(c.user_id = -1, 1, 0) AS incoming, IF(c.user_id = -1, d.id, u.id) AS customer_id,
    v.id AS device_id, d.id AS other_user_id, w.id AS other_device_id, p.id AS found_provider_id, t.id AS twice_id,
    IFNULL(IF(c.user_id = -1, c.did_price, c.user_price), 0) AS charge,
    CASE WHEN c.card_id > 0 THEN 'of a calling card'
      WHEN NOT IFNULL(c.calldate > '1970-01-01', FALSE) THEN 'no date' WHEN IF(c.user_id = -1, d.id, u.id) IS NULL THEN 'no account'
      WHEN ABS(c.user_price) >= 1e15 OR ABS(c.did_price) >= 1e15 OR ABS(c.provider_price) >= 1e15 OR ABS(c.reseller_price) >= 1e15
        OR ABS(c.user_rate) >= 1e15 OR ABS(c.provider_rate) >= 1e15 THEN 'an amount of more than 15 digits'
      WHEN c.kept_in = 'calls_old' AND t.is_same THEN 'the same call is in calls' END AS reason
  FROM every_call c LEFT JOIN moving_users u ON u.id = c.user_id AND u.stays IS NULL
  LEFT JOIN moving_users d ON d.id = c.dst_user_id AND d.stays IS NULL AND c.dst_user_id > 0
  LEFT JOIN moving_users o ON o.id = c.reseller_id AND o.stays IS NULL
  LEFT JOIN moving_devices v ON v.id = c.src_device_id AND v.stays IS NULL
  LEFT JOIN moving_devices w ON w.id = c.dst_device_id AND w.stays IS NULL
  LEFT JOIN providers p ON p.id = c.provider_id LEFT JOIN every_archived_copy t ON t.id = c.id AND c.kept_in = 'calls_old') b;
