import { copyOfData } from '@unikv/core/adapter'

/** A copy that the caller does not hold, so that later changes of the caller do nothing here. A value that cannot be copied is left to its refusal. */
export function owned<T>(given: T): T {
  try {
    return copyOfData(given) as T
  } catch {
    return given
  }
}
