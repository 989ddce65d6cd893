import { Random } from '@unikv/test-kit/schedules'

/** Value number `n` of a key: about 2 KiB of text, of which two lines differ from one to the next. */
export function revision(n: number, lines = 40): Uint8Array {
  const text = Array.from(
    { length: lines },
    (_, i) => `line ${i} of a document that changes a little now and then`,
  )
  text[Math.abs(n) % lines] = `this line was changed by revision ${n}`
  text[0] = `revision ${n}`
  return new TextEncoder().encode(text.join('\n'))
}

/** Bytes without any pattern. */
export function noise(seed: number, length: number): Uint8Array {
  const random = new Random(seed)
  return Uint8Array.from({ length }, () => random.below(256))
}
