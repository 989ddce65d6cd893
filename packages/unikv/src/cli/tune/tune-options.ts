/** Options of all commands of `unikv tune`. */
export interface TuneOptions {
  readonly config?: string
  readonly url?: string
  readonly keepIn?: string
  readonly interval?: string
  readonly for?: string
  readonly why?: string
  readonly once?: true
  readonly dryRun?: true
  readonly json?: true
}
