/**
 * Where the SDK would remember endpoints that it had discovered, which it is told not to do; the real one is seven
 * kilobytes.
 */
export class EndpointCache {}
