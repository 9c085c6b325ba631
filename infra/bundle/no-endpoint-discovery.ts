/** DynamoDB's addresses follow from the region; the SDK would ask for others only where that is switched on. */
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config

export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: false,
}
