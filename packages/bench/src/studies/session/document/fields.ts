import { either, must, names } from '@unikv/stores/documents'
import { z } from 'zod'

/** An object with these fields and no others. */
export function fields<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  const known = Object.keys(shape)
  return z.strictObject(shape, names(known, `an object with ${known.join(', ')}`))
}

/** One of some words. */
export function oneOf<const T extends readonly string[]>(words: T): z.ZodType<T[number]> {
  return z.enum(words, must(either(words)))
}

/** An element without content is `null`, and stands for none. */
export function optional<T extends z.ZodType>(schema: T): z.ZodPreprocess<z.ZodOptional<T>> {
  return z.preprocess((given) => given ?? undefined, schema.optional())
}
