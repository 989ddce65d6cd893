import { isStoreError } from '@unikv/core'
import { isError } from '@unikv/core/platform'
import { must, names, wrongAt } from '@unikv/stores/documents'
import { z } from 'zod'

/** A text that is not empty. */
export const text: z.ZodString = z.string(must('a text')).min(1, must('a text that is not empty'))

/** A whole number from 1 on. */
export function wholeTo(most: number): z.ZodInt {
  const be = must(`a whole number from 1 to ${most.toLocaleString('en-US')}`)
  return z.int(be).min(1, be).max(most, be)
}

/** A number of callers. */
export const callers: z.ZodInt = wholeTo(100_000)

/** An object that has these names alone. */
export function section<S extends Readonly<Record<string, z.ZodType>>>(shape: S, be: string): z.ZodObject<S> {
  return z.strictObject(shape, names(Object.keys(shape), be))
}

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
