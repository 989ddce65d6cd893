/** The numbers that an option of a loop takes. */
interface CountLimits {
  readonly least: number
  /** Whether `Infinity`, which means without limit, is one of them. */
  readonly infinite: boolean
}

/**
 * Check options that count operations or workers; those that are absent pass.
 *
 * @throws {RangeError} if one is not a whole number within its limits
 */
export function checkCounts(
  counts: Readonly<Record<string, number | undefined>>,
  { least, infinite }: CountLimits,
): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count === undefined || (infinite && count === Infinity)) continue
    if (!(Number.isSafeInteger(count) && count >= least))
      throw new RangeError(`${name} must be a whole number of at least ${least}, got ${String(count)}.`)
  }
}
