<?php
namespace Shop\Offers\ViewModel;

use Magento\Checkout\Model\Session;
use Magento\Cookie\Helper\Cookie;
use Magento\Framework\View\Element\Block\ArgumentInterface;

/** Layouts accept only objects that implement ArgumentInterface, so the session itself cannot be one of their arguments. */
class Offers implements ArgumentInterface
{
    private $session;
    private $cookie;

    public function __construct(Session $session, Cookie $cookie)
    {
        $this->session = $session;
        $this->cookie = $cookie;
    }

    /** Returns the attributes of the script tag, without its source, or nothing where there is no order. */
    public function getAttributes(string $consent): array
    {
        $order = $this->session->getLastRealOrder();
        if (!$order || !$order->getIncrementId()) {
            return [];
        }
        // In Magento's cookie restriction mode: its notice loads the page again once the shopper has agreed.
        if ($consent === '' && $this->cookie->isUserNotAllowSaveCookie()) {
            $consent = 'required';
        }
        $email = strtolower(trim((string) $order->getCustomerEmail()));
        return ($consent === '' ? [] : ['data-consent' => $consent]) + [
            'data-relay' => '/offers',
            'data-view' => 'THANK_YOU',
            'data-display-mode' => 'INLINE',
            'data-target' => '#offerlet',
            'data-email-hash' => $email === '' ? '' : hash('sha256', $email),
            'data-order-id' => $order->getIncrementId(),
            'data-order-amount' => $order->getGrandTotal(),
            'data-order-currency' => $order->getOrderCurrencyCode(),
        ];
    }
}
