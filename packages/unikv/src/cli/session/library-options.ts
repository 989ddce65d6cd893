import { StoreError } from '@unikv/core'

/**
 * Values such as `jobs=./templates`, by their names.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function nameValues(option: string, given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, value] = /^([\w-]+)=(.+)$/s.exec(one) ?? []
      if (name !== undefined && value !== undefined) return [name, value]
      throw new StoreError('INVALID_ARGUMENT', `${option} must be NAME=FOLDER, got '${one}'.`)
    }),
  )
}
