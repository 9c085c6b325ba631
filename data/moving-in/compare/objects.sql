SELECT 'object,count';
SELECT CONCAT('devices,', COUNT(*)) FROM moving_devices d WHERE d.stays IS NULL;
SELECT CONCAT('dids,', COUNT(*)) FROM moving_dids d WHERE d.stays IS NULL;
SELECT CONCAT('users,', COUNT(*)) FROM moving_users u WHERE u.stays IS NULL;
