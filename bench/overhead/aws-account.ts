/** A server and who uses it, as the clients of the AWS SDK take them. */
export function accountOf(url: string): {
  readonly endpoint: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
} {
  const { origin, username, password } = new URL(url)
  return { endpoint: origin, credentials: { accessKeyId: username, secretAccessKey: password } }
}
