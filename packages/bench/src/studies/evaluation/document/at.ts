import { isStoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { wrongAt } from '@unikv/stores/documents'

/** Do this; an error names the place of the document. */
export function at<T>(file: string, place: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw placed(file, place, error)
  }
}

/** The same for a promise. An error that names its place already stays as it is. */
export async function atLater<T>(file: string, place: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw placed(file, place, error)
  }
}

function placed(file: string, place: string, error: unknown): unknown {
  if (!isStoreError(error) || !isError(error) || error.message.startsWith(`${file}, `)) return error
  return wrongAt(file, place, error.message)
}
