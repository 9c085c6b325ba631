-- Archiving has copied these calls but not removed them. Where both are the same, that of `calls_old` stays behind. Where they differ, both move: remove the
-- wrong one in the copy.
SELECT CONCAT('call ', t.id, ' is in calls for ', IFNULL(t.user_price, 0), ' and in calls_old for ', IFNULL(t.old_user_price, 0), ': ',
  IF(t.is_same, 'the second one stays behind', 'both move')) FROM every_archived_copy t ORDER BY t.id;
