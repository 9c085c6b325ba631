#!/usr/bin/env bash
# Restores the table of a stage into a new table, while the consumers of the stage stand still (docs/operations.md). The role of
# infra/on-call.yml may run it.
#
#   infra/restore.sh prod tollgate-prod-restored 2026-03-10T11:59:00Z    stops the consumers and restores
#   infra/restore.sh prod tollgate-prod-restored arn:aws:backup:...      the same from a copy in this Region (docs/deployment.md)
#   infra/restore.sh prod stop                                           stops the consumers alone
#   infra/restore.sh prod resume                                         starts the consumers again
set -euo pipefail

STAGE=${1:?the stage, such as prod}
TARGET=${2:?the name of the new table, or stop, or resume}

# The consumers of the record queue, of the files of records, of operators' files, and of webhooks.
consumers() {
  aws lambda list-event-source-mappings --output text \
    --query "EventSourceMappings[?contains(FunctionArn, ':function:tollgate-$STAGE-')].UUID"
}

switch() {
  local found=0
  for uuid in $(consumers); do
    aws lambda update-event-source-mapping --uuid "$uuid" "$1" --query State --output text
    found=$((found + 1))
  done
  if [ "$found" -ne 4 ]; then
    echo "$found consumers of stage $STAGE found, expected 4: check the stage and the region" >&2
    exit 1
  fi
}

if [ "$TARGET" = stop ]; then
  switch --no-enabled
  echo "The consumers stand still; their queues keep messages for 14 days. Start them with: infra/restore.sh $STAGE resume"
  exit
fi

if [ "$TARGET" = resume ]; then
  switch --enabled
  echo "The consumers run again."
  exit
fi

FROM=${3:?the time to restore, in UTC, such as 2026-03-10T11:59:00Z, or the ARN of a copy}
WAIT=${TOLLGATE_RESTORE_WAIT:-20}

# Without the right to restore, this fails before anything stands still.
if [[ $FROM == arn:* ]]; then
  IFS=: read -r _ PARTITION _ _ ACCOUNT _ <<< "$FROM"
  JOB=$(aws backup start-restore-job --recovery-point-arn "$FROM" --metadata "targetTableName=$TARGET,encryptionType=Default" \
    --iam-role-arn "arn:$PARTITION:iam::$ACCOUNT:role/copies-of-tollgate-$STAGE" --query RestoreJobId --output text)
else
  SOURCE=$(aws cloudformation describe-stacks --stack-name "tollgate-$STAGE" --output text \
    --query "Stacks[0].Outputs[?OutputKey=='TableName'].OutputValue")
  aws dynamodb restore-table-to-point-in-time --source-table-name "$SOURCE" --target-table-name "$TARGET" \
    --restore-date-time "$FROM" --query TableDescription.TableArn --output text
fi
trap 'switch --enabled; echo "The restore failed, and the consumers run again: delete the table $TARGET before the next try" >&2' ERR
switch --no-enabled
# A large table takes longer than the waiter of the command line.
while [ -n "${JOB:-}" ] && STATUS=$(aws backup describe-restore-job --restore-job-id "$JOB" --query Status --output text) \
  && [[ $STATUS == PENDING || $STATUS == RUNNING ]]; do
  sleep "$WAIT"
done
while STATUS=$(aws dynamodb describe-table --table-name "$TARGET" --output text --query Table.TableStatus) && [ "$STATUS" = CREATING ]; do
  sleep "$WAIT"
done
[ "$STATUS" = ACTIVE ] || { echo "The table $TARGET is \"$STATUS\" and not ACTIVE" >&2; false; }

# A restored table lacks the tags of the stack, and some protection of the first one.
ARN=$(aws dynamodb describe-table --table-name "$TARGET" --output text --query Table.TableArn)
aws dynamodb tag-resource --resource-arn "$ARN" --tags Key=service,Value=tollgate "Key=STAGE,Value=$STAGE"
aws dynamodb update-continuous-backups --table-name "$TARGET" --query ContinuousBackupsDescription.ContinuousBackupsStatus \
  --output text --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true
aws dynamodb update-time-to-live --table-name "$TARGET" --query TimeToLiveSpecification.AttributeName --output text \
  --time-to-live-specification Enabled=true,AttributeName=expires_at
aws dynamodb update-table --table-name "$TARGET" --deletion-protection-enabled --query TableDescription.TableStatus --output text

echo "Restored. Look at it: npx tollgate settings list --table $TARGET"
echo "Then name $TARGET in infra/stages.yml, deploy, and run: infra/restore.sh $STAGE resume"
