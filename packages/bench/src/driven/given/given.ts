/** The workload on the command line, as it was given. */
export interface GivenWorkload {
  readonly preset?: string
  /** A module with own operations. */
  readonly workload?: string
  readonly propertyFile?: readonly string[]
  readonly property?: readonly string[]
  readonly records?: number
  readonly mix?: object
  readonly keys?: object
  readonly valueSize?: object
  readonly scanLength?: object
  readonly batch?: number
  readonly check?: boolean
}
