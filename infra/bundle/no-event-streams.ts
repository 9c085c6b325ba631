/** DynamoDB's operations have none; the SDK would load this only for one that does (infra/esbuild.yml). */
export class EventStreamSerde {
  constructor() {
    throw new Error('Event streams are left out of the bundles')
  }
}
