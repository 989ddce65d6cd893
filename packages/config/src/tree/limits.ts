/** How large documents may become. All of it is checked before memory is used. */
export const limits = {
  /** Elements of one document. */
  elements: 100_000,
  /** Characters of one document. */
  characters: 16_777_216,
  /** Levels of elements. */
  depth: 200,
  /** Elements that wait for each other while references or inheritance are resolved. */
  steps: 500,
  /** Elements that are merged while inheritance is resolved, each time counted again. */
  merged: 5_000_000,
  /** Bytes of one file. */
  fileBytes: 1_048_576,
  /** Files that one document may read. */
  files: 1_000,
  /** Different paths that the files of one document may extend. */
  paths: 5_000,
  /** Documents that are unfolded at a time. */
  documents: 10_000,
  /** Elements of all documents that are unfolded at a time. */
  unfoldedElements: 1_000_000,
  /** Characters of a regular expression. */
  pattern: 1_000,
  /** Size of the program that a regular expression is compiled to. */
  program: 2_000,
  /** Characters of a text that a regular expression is applied to. */
  searched: 65_536,
  /** Time for all regular expressions of one call, in milliseconds. */
  searchMs: 2_000,
  /** Characters of a message; of longer ones the middle is left out. */
  message: 2_000,
  /** Digits of a number, and its highest power of ten, in arithmetic. */
  digits: 1_000,
} as const
