/** A store and its name. */
export interface NamedUrl {
  readonly name: string
  readonly url: string
}
