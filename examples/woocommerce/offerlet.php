<?php
/** Returns the place of the offers and the script, once for each page. */
function offerlet_markup( $order_id ) {
	static $is_printed = false; // woocommerce_thankyou may fire more than once
	$order = wc_get_order( $order_id );
	if ( $is_printed || ! $order || $order->has_status( 'failed' ) ) {
		return '';
	}
	$is_printed = true;
	$email      = strtolower( trim( $order->get_billing_email() ) );
	$attributes = array(
		'src'                 => content_url( 'uploads/offerlet.js' ),
		'data-relay'          => '/offers',
		'data-view'           => 'THANK_YOU',
		'data-display-mode'   => 'INLINE',
		'data-target'         => '#offerlet',
		'data-email-hash'     => '' === $email ? '' : hash( 'sha256', $email ),
		'data-order-id'       => $order->get_order_number(),
		'data-order-amount'   => $order->get_total(),
		'data-order-currency' => $order->get_currency(),
	);
	// Consent plugins set the WP Consent API. For another platform, return its name here, such as google:ad_storage, onetrust:C0004
	// or cookiebot:marketing.
	$consent = apply_filters( 'offerlet_consent', function_exists( 'wp_has_consent' ) ? 'wpconsent:marketing' : '' );
	if ( '' !== $consent ) {
		$attributes['data-consent'] = $consent;
	}
	$text = '';
	foreach ( $attributes as $name => $value ) {
		$text .= sprintf( ' %s="%s"', $name, esc_attr( $value ) );
	}
	return '<style>#offerlet{min-height:390px}@media(max-width:699px){#offerlet{min-height:570px}}</style><div id="offerlet"></div><script async' . $text . '></script>';
}

// Tells WordPress that this plugin respects the WP Consent API.
add_filter( 'wp_consent_api_registered_' . plugin_basename( __FILE__ ), '__return_true' );

// The classic page, and the block-based page while it has the "Additional information" block.
add_action(
	'woocommerce_thankyou',
	function ( $order_id ) {
		echo offerlet_markup( $order_id );
	},
	20
);

// The block-based page without that block: below the order's status, for visitors with the order's key.
add_filter(
	'render_block_woocommerce/order-confirmation-status',
	function ( $content ) {
		$order = wc_get_order( absint( get_query_var( 'order-received' ) ) );
		$key   = isset( $_GET['key'] ) ? wp_unslash( $_GET['key'] ) : '';
		return $order && $order->key_is_valid( $key ) ? $content . offerlet_markup( $order->get_id() ) : $content;
	}
);
