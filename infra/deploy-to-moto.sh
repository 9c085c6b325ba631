#!/usr/bin/env bash
# Runs the deployer's commands against moto, a stand-in for AWS: the package of stage dev is deployed, deployed again without a change,
# updated, rolled back, deployed to a second Region, and removed.
#
#   npm run package -- --stage dev && infra/deploy-to-moto.sh .serverless
#
# moto's CloudFormation has no alarms and no dashboards, so a copy of the package goes without. It does not import
# the definition of the API, so the copy has a method of its own, and the definition is imported by itself. It also
# returns no outputs, so that the stamp of the table is not written here (tools/deployment/stage-table.test.ts).
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGE=$(mktemp -d)
cp -r "${1:?the folder of the package}/." "$PACKAGE"
moto_server -p 0 2> "$PACKAGE/moto.log" > /dev/null &
MOTO=$!
trap 'kill $MOTO; rm -r "$PACKAGE"' EXIT
until ADDRESS=$(grep -om1 'http://127.0.0.1:[0-9]*' "$PACKAGE/moto.log"); do sleep 1; done

jq '.Resources.ApiGatewayRestApi.Properties.Body
  | walk(if type == "object" and keys[0][0:4] == "Fn::" then "arn:aws:iam::123456789012:role/known-in-aws" else . end)' \
  "$PACKAGE/cloudformation-template-update-stack.json" > "$PACKAGE/api.json"

# Applies a filter of jq to the template and to its copy in the state of the package.
change() {
  local file
  for file in "$PACKAGE/cloudformation-template-update-stack.json ." \
    "$PACKAGE/serverless-state.json .service.provider.compiledCloudFormationTemplate"; do
    jq "${file#* } |= ($1)" "${file% *}" > "$PACKAGE/changed"
    mv "$PACKAGE/changed" "${file% *}"
  done
}
change '.Resources |= with_entries(select(.value.Type | IN("AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard") | not))
  | del(.Resources.ApiGatewayRestApi.Properties.Body)
  # moto creates what is new in the order of the template.
  | .Resources = { MethodOfMoto: { Type: "AWS::ApiGateway::Method", Properties: { RestApiId: { Ref: "ApiGatewayRestApi" },
      ResourceId: { "Fn::GetAtt": ["ApiGatewayRestApi", "RootResourceId"] }, HttpMethod: "ANY", AuthorizationType: "NONE",
      Integration: { Type: "MOCK", IntegrationHttpMethod: "POST", Uri: "" } } } } + .Resources'

REGION=${AWS_REGION:-eu-central-1}
export AWS_ENDPOINT_URL=$ADDRESS AWS_REGION=$REGION AWS_DEFAULT_REGION=$REGION AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=key
functions() { aws lambda list-functions --query 'Functions[].FunctionName' --output text | wc -w; }
memory() { aws lambda get-function-configuration --function-name tollgate-dev-rate_get --query MemorySize --output text; }
expected() {
  if [ "$2" != "$3" ]; then
    echo "$1 leaves $2, expected $3" >&2
    exit 1
  fi
}

ZIPS=$(find "$PACKAGE" -maxdepth 1 -name '*.zip' | wc -l)
npm run deploy -- --stage dev --package "$PACKAGE"
expected "The deployment" "$(functions) functions" "$ZIPS functions"
API=$(aws apigateway get-rest-apis --query 'items[0].id' --output text)
aws apigateway put-rest-api --rest-api-id "$API" --mode overwrite --fail-on-warnings --body "fileb://$PACKAGE/api.json" > "$PACKAGE/imported"
paths() { aws apigateway get-resources --rest-api-id "$API" --query 'items[].path' --output json | jq -r '.[]'; }
expected "The definition" "paths without $(comm -13 <(paths | sort) <(jq -r '.paths | keys[]' "$PACKAGE/api.json" | sort))" "paths without "
npm run deploy -- --stage dev --package "$PACKAGE"
expected "The second deployment" "$(functions) functions" "$ZIPS functions"

# The update: one function has more memory. A package has the folder of its time, in milliseconds and in words.
FIRST=$(jq -r '.package.artifactDirectoryName | split("/") | last' "$PACKAGE/serverless-state.json")
FIRST_MS=${FIRST%%-*}
BEFORE=$(memory)
sed -i "s/$FIRST/$((FIRST_MS + 1000))-$(date -u -d "${FIRST#*-} 1 second" +%FT%T.%3NZ)/g" "$PACKAGE"/*.json
change '.Resources.RateUnderscoregetLambdaFunction.Properties.MemorySize = 2048'
npm run deploy -- --stage dev --package "$PACKAGE"
expected "The update" "$(memory) MB" "2048 MB"
npx serverless rollback --timestamp "$FIRST_MS" --stage dev
expected "The rollback" "$(memory) MB" "$BEFORE MB"

# The same stage in a second Region, beside the first one (docs/deployment.md). moto has no jobs of AWS Backup.
SECOND=eu-west-1
for ONE in "$REGION" "$SECOND"; do
  aws cloudformation deploy --region "$ONE" --stack-name copies-of-tollgate-dev --template-file infra/second-region.yml \
    --capabilities CAPABILITY_NAMED_IAM --parameter-overrides Stage=dev "HomeRegion=$REGION" Mail=ops@example.com
done
AWS_REGION=$SECOND npm run deploy -- --stage dev --region "$SECOND" --package "$PACKAGE"
expected "The second Region" "$(AWS_REGION=$SECOND AWS_DEFAULT_REGION=$SECOND functions) functions" "$ZIPS functions"
expected "The first Region" "$(functions) functions" "$ZIPS functions"

# A queue that holds a CDR keeps the stage. moto runs no function that could take it.
infra/restore.sh dev stop
# Without the option, the command line takes AWS's own address of the service.
sqs() { aws sqs "$@" --endpoint-url "$ADDRESS"; }
QUEUE=$(sqs list-queues --queue-name-prefix tollgate-dev-RecordQueue --query 'QueueUrls[0]' --output text)
sqs send-message --queue-url "$QUEUE" --message-body '{"type":"call"}' > "$PACKAGE/sent"
if npm run remove -- --stage dev; then expected "The removal" "what was queued lost" "a refusal"; fi
expected "The refused removal" "$(functions) functions" "$ZIPS functions"
sqs purge-queue --queue-url "$QUEUE"

npm run remove -- --stage dev
expected "The removal" "$(functions) functions" "0 functions"
