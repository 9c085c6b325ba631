SELECT JSON_OBJECT('id', d.id, 'did', d.did, 'owner_id', d.owner_id, 'user_id', d.user_id, 'device_id', d.device_id,
  'provider_id', d.provider_id, 'status', d.status)
FROM moving_dids d WHERE d.stays IS NULL;
