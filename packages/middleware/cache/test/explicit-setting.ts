/** What the loaders of these tests bring. */
export interface User {
  readonly name: string
}

export const ada: User = { name: 'Ada' }

/** A loader that nobody should ask. */
export const never = (): never => {
  throw new Error('nothing was to be loaded')
}
