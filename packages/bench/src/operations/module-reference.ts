import { z } from 'zod'
import type { Plain } from '../options/plain.ts'

/** The schema of `ModuleReference`. */
export const moduleReferenceSchema = z.strictObject({
  /** As it was given: relative to the folder of the command. */
  file: z.string(),
  /** SHA-256 of its text, in hexadecimal digits. */
  sha256: z.string(),
  operations: z.array(
    z.strictObject({
      name: z.string(),
      needs: z.array(z.string()),
    }),
  ),
})

/** The module whose operations a mix names. Plain data. */
export type ModuleReference = Plain<typeof moduleReferenceSchema>
