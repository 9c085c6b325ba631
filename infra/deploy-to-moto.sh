#!/usr/bin/env bash
# Runs the deployer's commands against moto, a stand-in for AWS: the package of stage dev is deployed, deployed again without a change,
# and removed.
#
#   npm run package -- --stage dev && infra/deploy-to-moto.sh .serverless
#
# moto's CloudFormation has no alarms and no dashboards, so a copy of the package goes without. It also returns no outputs, so
# that the stamp of the table is not written here (tools/deployment/stage-table.test.ts).
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGE=$(mktemp -d)
cp -r "${1:?the folder of the package}/." "$PACKAGE"
moto_server -p 0 2> "$PACKAGE/moto.log" > /dev/null &
MOTO=$!
trap 'kill $MOTO; rm -r "$PACKAGE"' EXIT
until ADDRESS=$(grep -om1 'http://127.0.0.1:[0-9]*' "$PACKAGE/moto.log"); do sleep 1; done

without_alarms() {
  jq "$2 |= (.Resources |= with_entries(select(.value.Type | IN(\"AWS::CloudWatch::Alarm\", \"AWS::CloudWatch::Dashboard\") | not)))" \
    "$1" > "$1.less"
  mv "$1.less" "$1"
}
without_alarms "$PACKAGE/cloudformation-template-update-stack.json" .
without_alarms "$PACKAGE/serverless-state.json" .service.provider.compiledCloudFormationTemplate

REGION=${AWS_REGION:-eu-central-1}
export AWS_ENDPOINT_URL=$ADDRESS AWS_REGION=$REGION AWS_DEFAULT_REGION=$REGION AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=key
functions() { aws lambda list-functions --query 'Functions[].FunctionName' --output text | wc -w; }
expected() {
  if [ "$2" != "$3" ]; then
    echo "$1 leaves $2 functions, expected $3" >&2
    exit 1
  fi
}

npm run deploy -- --stage dev --package "$PACKAGE"
expected "The deployment" "$(functions)" "$(find "$PACKAGE" -maxdepth 1 -name '*.zip' | wc -l)"
npm run deploy -- --stage dev --package "$PACKAGE"
expected "The second deployment" "$(functions)" "$(find "$PACKAGE" -maxdepth 1 -name '*.zip' | wc -l)"
npm run remove -- --stage dev
expected "The removal" "$(functions)" 0
