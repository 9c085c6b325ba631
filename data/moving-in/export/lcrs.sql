SELECT JSON_OBJECT('id', l.id, 'name', l.name, 'owner_id', IFNULL(l.user_id, 0)) FROM lcrs l;
