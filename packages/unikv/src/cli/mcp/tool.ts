import { StoreError } from '@unikv/core'
import type { z } from 'zod'

/**
 * Asks the page, as the caller of a tool. So its rights, its keys, and the record of its looks at encrypted values are those of the page.
 *
 * @throws {StoreError} with the words of a refusal
 */
export type Ask = <T>(path: string) => Promise<T>

/** The places from which a tool has its answer. */
export interface Means {
  readonly ask: Ask
  /** Compares results of benchmarks, by their names on the page, as text in Markdown. */
  readonly compare: (names: readonly string[]) => Promise<string>
}

/** A tool. It only reads. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  /** Text or data. @throws {StoreError} for input that makes no sense, and for a refusal */
  run(input: unknown, means: Means): Promise<unknown>
}

/** A tool whose input is checked before it runs. */
export function tool<T extends z.ZodObject>({
  run,
  ...own
}: Omit<Tool, 'run' | 'input'> & {
  readonly input: T
  readonly run: (input: z.infer<T>, means: Means) => Promise<unknown>
}): Tool {
  return {
    ...own,
    run(given, means) {
      const parsed = own.input.safeParse(given)
      if (parsed.success) return run(parsed.data, means)
      const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
      throw new StoreError('INVALID_ARGUMENT', `${wrong.join('. ')}.`)
    },
  }
}

/** A path of the page about a store. */
export function pathOf(
  beginning: string,
  store: string,
  end: string,
  parameters: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) query.append(name, String(one))
  return `${beginning}/stores/${encodeURIComponent(store)}/${end}?${query.toString()}`
}
