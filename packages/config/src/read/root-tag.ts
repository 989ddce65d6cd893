/** The tag of a document whose format has none for its root. */
export const rootTag = 'config'
