/** ACP v2 messages as they are built here. Their validity is the schema's business, in tests. */

/** A v2 `session/update` of any kind. */
export interface V2Update {
  readonly sessionUpdate: string;
  readonly [member: string]: unknown;
}
