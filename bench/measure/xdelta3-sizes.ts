/** Lengths of bases that are compared, in bytes. */
export const comparedSizes = [1024, 10_240, 102_400, 1_048_576] as const

/** Seeds of the inputs that are recorded. */
export const recordedSeeds = [5, 6, 7] as const

/**
 * Bytes of `xdelta3 -e -9 -S none -f -s base target out`, version 3.0.11 of Debian 12, for each pattern: seed by seed,
 * and for each seed size by size. `inputs` is the CRC-32 of all bases and targets one after the other: figures of other
 * inputs tell nothing.
 */
export const recordedBytes: Readonly<
  Record<string, { readonly inputs: number; readonly bytes: readonly (readonly number[])[] }>
> = {
  'JSON, 1 % in 8-byte edits': {
    inputs: 1418589284,
    bytes: [
      [52, 215, 1751, 17912],
      [52, 216, 1765, 17877],
      [52, 214, 1797, 17780],
    ],
  },
  'JSON, 1 % in single bytes': {
    inputs: 3046152305,
    bytes: [
      [93, 577, 5428, 56557],
      [92, 579, 5451, 56501],
      [88, 579, 5430, 56520],
    ],
  },
  'JSON, 650 inserts and deletes a MiB': {
    inputs: 2796269333,
    bytes: [
      [49, 89, 672, 6337],
      [46, 93, 633, 6373],
      [45, 93, 664, 6259],
    ],
  },
  'JSON, append 1 % of own text': {
    inputs: 4186738871,
    bytes: [
      [49, 141, 698, 4760],
      [49, 141, 746, 4760],
      [49, 131, 699, 4718],
    ],
  },
  'JSON, block moves of 16 KiB': {
    inputs: 1727669438,
    bytes: [
      [85, 95, 107, 122],
      [78, 96, 106, 120],
      [78, 96, 109, 119],
    ],
  },
  'random, 1 % in 8-byte edits': {
    inputs: 1843893243,
    bytes: [
      [52, 220, 1798, 17925],
      [52, 209, 1792, 17865],
      [52, 216, 1782, 17909],
    ],
  },
  'random, append 1 % random': {
    inputs: 977365277,
    bytes: [
      [49, 142, 1070, 10531],
      [49, 142, 1070, 10531],
      [49, 142, 1070, 10531],
    ],
  },
  'unrelated random': {
    inputs: 1106665129,
    bytes: [
      [1060, 10276, 102443, 1048619],
      [1060, 10276, 102440, 1048622],
      [1060, 10276, 102443, 1048630],
    ],
  },
}
