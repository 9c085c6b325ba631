/** Two switches may use the same unique id, and a switch may write several CDRs with one id. */
export interface CallIdentity {
  readonly uniqueid: string
  /** The name of the switch, which has no `#`. */
  readonly source?: string | undefined
  readonly source_part?: string | undefined
}
