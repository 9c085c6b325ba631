SELECT JSON_OBJECT('id', s.id, 'user_id', s.user_id, 'device_id', s.device_id, 'service_id', s.service_id,
  'from', s.activation_start, 'till', s.activation_end, 'memo', s.memo) FROM subscriptions s;
