import { z } from 'zod'

/** The module whose operations a mix names. Plain data. */
export interface ModuleReference {
  /** As it was given: relative to the folder of the command. */
  readonly file: string
  /** SHA-256 of its text, in hexadecimal digits. */
  readonly sha256: string
  readonly operations: readonly {
    readonly name: string
    /** Features that the store must have. */
    readonly needs: readonly string[]
  }[]
}

/** The schema of `ModuleReference`. */
export const moduleReferenceSchema: z.ZodType<ModuleReference> = z.strictObject({
  file: z.string(),
  sha256: z.string(),
  operations: z.array(z.strictObject({ name: z.string(), needs: z.array(z.string()) })),
})
